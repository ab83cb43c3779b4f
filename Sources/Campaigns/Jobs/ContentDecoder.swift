struct ContentDecoder {
    private let reader: ObjectReader
    private let pointer: JSONPointer
    private let log: ProblemLog

    static let actionsMax = 16
    static let interruptionLevels = ["passive", "active", "time-sensitive", "critical"]

    init?(
        _ value: JSONValue,
        at pointer: JSONPointer,
        _ log: ProblemLog,
        fields: FieldList = JobFields.content
    ) {
        guard let reader = ObjectReader(value, at: pointer, fields, log) else { return nil }
        self.reader = reader
        self.pointer = pointer
        self.log = log
    }

    func content(_ kind: CampaignKind, isLiveActivity: Bool) -> Content {
        var content = texts { arguments($0, of: $1) }
        content.launchImage = plain("launch_image")
        content.url = reader.text("url")
        content.mediaURL = mediaURL()
        content.category = plain("category")
        content.layout = plain("layout")
        content.actions = actions()
        readBadge(&content)
        content.sound = sound()
        content.threadID = reader.text("thread_id")
        content.interruptionLevel = reader.choice("interruption_level", among: ContentDecoder.interruptionLevels)
        content.relevanceScore = reader.number("relevance_score", fromZeroToOne: !isLiveActivity)
        content.targetContentID = plain("target_content_id")
        content.filterCriteria = plain("filter_criteria")
        content.contentAvailable = reader.flag("content_available") ?? false
        content.mutableContent = reader.flag("mutable_content") ?? false
        content.data = data()
        content.liveActivity = reader.value("live_activity").flatMap { value in
            LiveActivityDecoder.liveActivity(value, at: pointer.appending("live_activity"), log)
        }
        KindDecoder(kind: kind, reader: reader).read(into: &content)
        content.apns = raw()
        // The provider checks the block's fields.
        content.fcm = reader.members("fcm").map { .object($0) }
        Templates.checkSize(content.personalTexts(at: pointer), at: pointer, log)
        content.localizations = localizations()
        Templates.check(content.personalTexts(at: pointer), log)
        return content
    }

    private func arguments(_ name: String, of key: String) -> [String] {
        let texts = reader.texts(name)
        if !texts.isEmpty, !reader.has(key) {
            log.refuse(
                .conflict,
                at: pointer.appending(name),
                "\(name) needs \(key)",
                fix: "give \(key), or leave it out"
            )
        }
        return texts
    }

    /// Reads a text in which templates are never allowed.
    private func plain(_ name: String) -> String? {
        guard let text = reader.text(name) else { return nil }
        Templates.refuseAnywhere(in: text, name, at: pointer.appending(name), log)
        return text
    }

    private func mediaURL() -> String? {
        guard let text = reader.text("media_url") else { return nil }
        let location = pointer.appending("media_url")
        let rest = text.utf8.dropFirst("https://".utf8.count)
        guard text.hasPrefix("https://"), let first = rest.first, NameRule.isWordByte(first) || first == 0x5B else {
            let fix =
                text.hasPrefix("http://")
                ? "write https://" : Template.isIn(text) ? "write https:// and the host out" : nil
            log.refuse(.format, at: location, "media_url must be an https address", fix: fix)
            return nil
        }
        guard Template.isIn(text) || text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            let fix = "write spaces and other characters as %20 and the like"
            log.refuse(.format, at: location, "media_url has characters that an address cannot have", fix: fix)
            return nil
        }
        return text
    }

    private func readBadge(_ content: inout Content) {
        guard let value = reader.value("badge") else { return }
        guard case .string(let text) = value else {
            content.badge = reader.integer("badge", in: 0...Int64(BadgeStep.countMax)).map(Int.init)
            return
        }
        if Template.isIn(text) {
            content.badgeTemplate = text
        } else if let step = BadgeStep(rawValue: text) {
            content.badgeStep = step
        } else {
            log.refuse(
                .type,
                at: pointer.appending("badge"),
                "badge must be a whole number, \"+1\" or \"-1\"",
                fix: "give one of them, or a template of a number"
            )
        }
    }

    private func actions() -> [ActionLink] {
        let location = pointer.appending("actions")
        let elements = reader.array("actions", countMax: Self.actionsMax) ?? []
        var actions: [ActionLink] = []
        for (index, element) in elements.enumerated() {
            guard let fields = ObjectReader(element, at: location.appending(index), JobFields.action, log) else {
                continue
            }
            fields.require("id")
            fields.require("url")
            guard let id = fields.text("id"), let url = fields.text("url") else { continue }
            Templates.refuseAnywhere(in: id, "id", at: location.appending(index).appending("id"), log)
            if actions.contains(where: { $0.id == id }) {
                log.refuse(.conflict, at: location.appending(index), "two links for the button \(id.clipped)")
            }
            actions.append(ActionLink(id: id, url: url))
        }
        return actions
    }

    private func localizations() -> [Localization] {
        guard let members = reader.members("localizations") else { return [] }
        let location = pointer.appending("localizations")
        if members.count > Localization.countMax {
            let detail = "there are \(members.count) localizations, at most \(Localization.countMax) are allowed"
            log.refuse(.tooMany, at: location, detail)
            return []
        }
        var seen: Set<String> = []
        return members.compactMap { member in
            let entry = location.appending(member.name)
            guard DeviceRule.isLocale(member.name) else {
                let fix = member.name.contains("_") ? "write a hyphen instead of _" : nil
                log.refuse(.format, at: entry, "a localization's name is a BCP 47 tag such as pt-BR", fix: fix)
                return nil
            }
            if !seen.insert(member.name.lowercased()).inserted {
                log.refuse(.conflict, at: entry, "\(member.name) is there twice: upper and lower case are the same")
            }
            let decoder = ContentDecoder(member.value, at: entry, log, fields: JobFields.localization)
            let localization = decoder?.localization(member.name)
            Templates.checkSize(localization?.content.personalTexts(at: entry) ?? [], at: entry, log)
            return localization
        }
    }

    private func localization(_ locale: String) -> Localization {
        var content = texts { name, _ in reader.texts(name) }
        content.url = reader.text("url")
        content.mediaURL = mediaURL()
        content.sound = sound()
        return Localization(locale: locale, content: content)
    }

    /// Returns a content with the texts and their keys; `arguments` reads those of a key.
    private func texts(_ arguments: (_ name: String, _ key: String) -> [String]) -> Content {
        var content = Content()
        content.title = reader.text("title")
        content.subtitle = reader.text("subtitle")
        content.body = reader.text("body")
        content.titleLocKey = plain("title_loc_key")
        content.titleLocArgs = arguments("title_loc_args", "title_loc_key")
        content.subtitleLocKey = plain("subtitle_loc_key")
        content.subtitleLocArgs = arguments("subtitle_loc_args", "subtitle_loc_key")
        content.locKey = plain("loc_key")
        content.locArgs = arguments("loc_args", "loc_key")
        return content
    }

    private func sound() -> Sound? {
        guard let value = reader.value("sound") else { return nil }
        if case .string = value { return plain("sound").map { Sound(name: $0) } }
        let location = pointer.appending("sound")
        guard case .object = value else {
            reader.refuseType("sound", value, mustBe: "a name, or an object with critical, name and volume")
            return nil
        }
        guard let fields = ObjectReader(value, at: location, JobFields.sound, log) else { return nil }
        let critical = fields.flag("critical") ?? false
        let volume = fields.number("volume", fromZeroToOne: true)
        if volume != nil, !critical {
            let fix = "add \"critical\": true, or leave volume out"
            log.refuse(.conflict, at: location.appending("volume"), "volume counts for critical sounds only", fix: fix)
        }
        let name = fields.text("name") ?? "default"
        Templates.refuseAnywhere(in: name, "name", at: location.appending("name"), log)
        return Sound(name: name, critical: critical, volume: volume)
    }

    private func data() -> [JSONMember] {
        guard let members = reader.members("data") else { return [] }
        let location = pointer.appending("data")
        for member in members {
            let memberLocation = location.appending(member.name)
            if member.name.isEmpty {
                log.refuse(.empty, at: memberLocation, "a key of data is empty")
            } else if ContentDecoder.isReserved(member.name) {
                log.refuse(
                    .reserved,
                    at: memberLocation,
                    "\(member.name.clipped) is reserved for the providers or for fanfare",
                    fix: "choose another key"
                )
            }
        }
        return members
    }

    /// Returns true for keys that would collide with Apple's dictionary or ours, or that Google refuses.
    static func isReserved(_ key: String) -> Bool {
        ["aps", "fanfare", "from", "message_type"].contains(key) || key.hasPrefix("google.") || key.hasPrefix("gcm.")
    }

    private func raw() -> JSONValue? {
        guard let members = reader.members("apns") else { return nil }
        let location = pointer.appending("apns")
        for member in members {
            if member.name == "fanfare" {
                log.refuse(.reserved, at: location.appending("fanfare"), "the key fanfare is reserved")
            }
            if member.name == "aps", member.value.members == nil {
                let detail = "aps must be an object, not \(member.value.typeName)"
                log.refuse(.type, at: location.appending("aps"), detail)
            }
        }
        return .object(members)
    }
}
