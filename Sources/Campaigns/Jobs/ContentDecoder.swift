/// Reads `content`.
struct ContentDecoder {
    private let reader: ObjectReader
    private let pointer: JSONPointer
    private let log: ProblemLog

    static let interruptionLevels = ["passive", "active", "time-sensitive", "critical"]

    init?(_ value: JSONValue, at pointer: JSONPointer, _ log: ProblemLog) {
        guard let reader = ObjectReader(value, at: pointer, JobFields.content, log) else { return nil }
        self.reader = reader
        self.pointer = pointer
        self.log = log
    }

    func content(isLiveActivity: Bool) -> Content {
        var content = Content()
        content.title = template("title")
        content.subtitle = template("subtitle")
        content.body = template("body")
        content.titleLocKey = plain("title_loc_key")
        content.titleLocArgs = templates("title_loc_args", of: "title_loc_key")
        content.subtitleLocKey = plain("subtitle_loc_key")
        content.subtitleLocArgs = templates("subtitle_loc_args", of: "subtitle_loc_key")
        content.locKey = plain("loc_key")
        content.locArgs = templates("loc_args", of: "loc_key")
        content.launchImage = plain("launch_image")
        content.mediaURL = mediaURL()
        content.category = plain("category")
        content.badge = badge()
        content.sound = sound()
        content.threadID = template("thread_id")
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
        content.apns = raw()
        return content
    }

    /// A text in which the contract allows templates, which this version does not have.
    private func template(_ name: String) -> String? {
        guard let text = reader.text(name) else { return nil }
        Templates.refuse(in: text, name, at: pointer.appending(name), log)
        return text
    }

    private func templates(_ name: String, of key: String) -> [String] {
        let texts = reader.texts(name)
        for (index, text) in texts.enumerated() {
            Templates.refuse(in: text, "an entry of \(name)", at: pointer.appending(name).appending(index), log)
        }
        if !texts.isEmpty, !reader.has(key) {
            log.refuse(
                .conflict,
                at: pointer.appending(name),
                "\(name) needs \(key)",
                mend: "give \(key), or leave it out"
            )
        }
        return texts
    }

    /// A text in which templates are never allowed.
    private func plain(_ name: String) -> String? {
        guard let text = reader.text(name) else { return nil }
        Templates.refuseAnywhere(in: text, name, at: pointer.appending(name), log)
        return text
    }

    private func mediaURL() -> String? {
        guard let text = template("media_url"), !Templates.isIn(text) else { return nil }
        let place = pointer.appending("media_url")
        let rest = text.utf8.dropFirst("https://".utf8.count)
        guard text.hasPrefix("https://"), let first = rest.first, JobIdentity.isWordByte(first) || first == 0x5B else {
            let mend = text.hasPrefix("http://") ? "write https://" : nil
            log.refuse(.format, at: place, "media_url must be an https address", mend: mend)
            return nil
        }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            let mend = "write spaces and other characters as %20 and the like"
            log.refuse(.format, at: place, "media_url has characters that an address cannot have", mend: mend)
            return nil
        }
        return text
    }

    private func badge() -> Int? {
        guard let value = reader.value("badge") else { return nil }
        let place = pointer.appending("badge")
        guard case .string(let text) = value else {
            // What a phone's 32-bit integer holds.
            return reader.integer("badge", in: 0...Int64(Int32.max)).map(Int.init)
        }
        if ["+1", "-1"].contains(text) || Templates.isIn(text) {
            log.refuse(.notInThisVersion, at: place, "counted badges are not in this version", mend: "give a number")
        } else {
            log.refuse(.type, at: place, "badge must be a whole number, \"+1\" or \"-1\"", mend: "give a number")
        }
        return nil
    }

    private func sound() -> Sound? {
        guard let value = reader.value("sound") else { return nil }
        if case .string = value { return plain("sound").map { Sound(name: $0) } }
        let place = pointer.appending("sound")
        guard case .object = value else {
            reader.refuseType("sound", value, mustBe: "a name, or an object with critical, name and volume")
            return nil
        }
        guard let fields = ObjectReader(value, at: place, JobFields.sound, log) else { return nil }
        let critical = fields.flag("critical") ?? false
        let volume = fields.number("volume", fromZeroToOne: true)
        if volume != nil, !critical {
            let mend = "add \"critical\": true, or leave volume out"
            log.refuse(.conflict, at: place.appending("volume"), "volume counts for critical sounds only", mend: mend)
        }
        return Sound(name: fields.text("name") ?? "default", critical: critical, volume: volume)
    }

    private func data() -> [JSONMember] {
        guard let members = reader.members("data") else { return [] }
        let place = pointer.appending("data")
        for member in members {
            let memberPlace = place.appending(member.name)
            if member.name.isEmpty {
                log.refuse(.empty, at: memberPlace, "a key of data is empty")
            } else if ContentDecoder.isReserved(member.name) {
                log.refuse(
                    .reserved,
                    at: memberPlace,
                    "\(member.name.clipped) is kept for the providers or for fanfare",
                    mend: "choose another key"
                )
            }
            Templates.refuse(within: member.value, at: memberPlace, log)
        }
        return members
    }

    /// Keys that would collide with Apple's dictionary, with ours, or that Google refuses.
    static func isReserved(_ key: String) -> Bool {
        ["aps", "fanfare", "from", "message_type"].contains(key) || key.hasPrefix("google.") || key.hasPrefix("gcm.")
    }

    private func raw() -> JSONValue? {
        guard let members = reader.members("apns") else { return nil }
        let place = pointer.appending("apns")
        for member in members {
            if member.name == "fanfare" {
                log.refuse(.reserved, at: place.appending("fanfare"), "fanfare is kept for fanfare")
            }
            if member.name == "aps", member.value.members == nil {
                let detail = "aps must be an object, not \(member.value.typeName)"
                log.refuse(.type, at: place.appending("aps"), detail)
            }
        }
        return .object(members)
    }
}
