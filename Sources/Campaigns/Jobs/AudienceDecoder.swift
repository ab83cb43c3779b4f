/// A decoder for `audience`: exactly one selector, and never everybody by accident.
struct AudienceDecoder {
    private let reader: ObjectReader
    private let selectors: [String]
    /// The token forms; nil if the tokens are already checked.
    private let tokens: TokenForms?

    static let devicesMax = 10_000
    static let urgentDevicesMax = 1_000

    init?(
        _ value: JSONValue,
        at pointer: JSONPointer,
        _ fields: FieldList,
        _ tokens: TokenForms?,
        _ log: ProblemLog
    ) {
        guard let reader = ObjectReader(value, at: pointer, fields, log) else { return nil }
        self.reader = reader
        self.tokens = tokens
        let members = value.members ?? []
        selectors = ["devices", "list", "users", "segment", "everyone", "channel", "activity"].filter { selector in
            members.contains { $0.name == selector && !($0.name == "everyone" && $0.value == false) }
        }
    }

    func audience(isUrgent: Bool, isStored: Bool) -> Audience? {
        let name = reader.fields.name
        if selectors.count > 1 {
            let found = selectors.joined(separator: ", ")
            reader.log.refuse(
                .conflict,
                at: reader.pointer,
                "\(name) has more than one selector: \(found)",
                fix: "keep exactly one"
            )
        }
        if selectors.isEmpty {
            reader.log.refuse(
                .empty,
                at: reader.pointer,
                "\(name) names nobody, which never means everybody",
                fix: "give devices, list, users, segment, everyone, channel or activity"
            )
        }
        // All are decoded, so that every problem is reported at once.
        let found = [
            devices(isUrgent: isUrgent, isStored: isStored), list(), users(isUrgent: isUrgent), segment(),
            reader.flag("everyone") == true ? .everyone : nil, channel(), activity(),
        ]
        return found.compactMap { $0 }.first
    }

    /// Returns the id of the upload that is the list's version; `audience` is the selector.
    func upload(of audience: Audience?, isRepeated: Bool) -> String? {
        guard let id = reader.text("upload") else { return nil }
        let location = reader.pointer.appending("upload")
        guard NameRule.isID(id) else {
            reader.log.refuse(.format, at: location, "upload must be 1 to 128 of the characters A-Z a-z 0-9 . _ : -")
            return nil
        }
        guard case .list(_, version: nil)? = audience else {
            // A list that is wrong itself is told of there.
            if selectors != ["list"] || audience != nil {
                reader.log.refuse(
                    .conflict,
                    at: location,
                    "an upload is the version of a list that audience names without one",
                    fix: "give list with its name alone, or leave upload out"
                )
            }
            return nil
        }
        if isRepeated {
            reader.log.refuse(
                .conflict,
                at: location,
                "a repeated campaign takes the newest version of its list at each run",
                fix: "leave it out"
            )
        }
        return id
    }

    /// Reads the name of a channel, which stands alone: nobody knows who follows it.
    private func channel() -> Audience? {
        guard reader.fields["channel"] != nil, let name = reader.text("channel") else { return nil }
        guard NameRule.isID(name) else {
            reader.log.refuse(
                .format,
                at: reader.pointer.appending("channel"),
                "channel must be 1 to 128 of the characters A-Z a-z 0-9 . _ : -",
                fix: "give the name that it has in fanfare channel ls, not Apple's id"
            )
            return nil
        }
        for limit in ["exclude", "at_most"] where reader.has(limit) {
            reader.log.refuse(
                .conflict,
                at: reader.pointer.appending(limit),
                "a channel is one request; who follows it is known to Apple alone, so nobody can be counted or left out",
                fix: "leave it out"
            )
        }
        return .channel(name)
    }

    /// Reads the name of an activity.
    private func activity() -> Audience? {
        guard reader.fields["activity"] != nil, let value = reader.value("activity"),
            let name = ObjectReader(value, at: reader.pointer.appending("activity"), JobFields.activity, reader.log)
        else { return nil }
        name.require("type", fix: "name the app's ActivityAttributes type")
        name.require("id", fix: "give the id under which the app registers the activity, such as match-7")
        let words = ["type", "id"].compactMap { field -> String? in
            guard let word = name.text(field) else { return nil }
            if NameRule.isID(word) { return word }
            name.log.refuse(
                .format,
                at: name.pointer.appending(field),
                "\(field) must be 1 to 128 of the characters A-Z a-z 0-9 . _ : -"
            )
            return nil
        }
        return words.count == 2 ? .activity(ActivityName(type: words[0], id: words[1])) : nil
    }

    /// Returns the audience's fields beside the selectors: `exclude` and `at_most`.
    func limits(isUrgent: Bool, isStored: Bool) -> (exclude: Audience?, atMost: Int?) {
        let atMost = reader.integer("at_most", in: 1...Int64(UInt32.max)).map { Int($0) }
        guard let value = reader.value("exclude") else { return (nil, atMost) }
        let location = reader.pointer.appending("exclude")
        let decoder = AudienceDecoder(value, at: location, JobFields.exclude, tokens, reader.log)
        let exclude = decoder?.audience(isUrgent: isUrgent, isStored: false)
        if exclude == .everyone {
            reader.log.refuse(
                .conflict,
                at: location.appending("everyone"),
                "exclude leaves everybody out",
                fix: "name those who are left out"
            )
        }
        return (exclude, atMost)
    }

    private func segment() -> Audience? {
        guard let text = reader.text("segment") else { return nil }
        do throws(SegmentProblem) {
            let segment = try Segment(text)
            for warning in segment.warnings {
                let detail = "column \(warning.column): \(warning.detail)"
                reader.log.warn(warning.code, at: reader.pointer.appending("segment"), detail, fix: warning.fix)
            }
            return .segment(segment)
        } catch {
            let detail = "column \(error.column): \(error.detail)"
            reader.log.refuse(error.code, at: reader.pointer.appending("segment"), detail, fix: error.fix)
            return nil
        }
    }

    private func users(isUrgent: Bool) -> Audience? {
        guard reader.has("users") else { return nil }
        let location = reader.pointer.appending("users")
        let countMax = isUrgent ? AudienceDecoder.urgentDevicesMax : AudienceDecoder.devicesMax
        let users = reader.texts("users", countMax: countMax)
        if users.isEmpty, !reader.log.hasProblem(within: location) {
            reader.log.refuse(.empty, at: location, "users is empty", fix: "name at least one user")
        }
        for (index, user) in users.enumerated() where !RegistrationRules.isUser(user) {
            reader.log.refuse(.format, at: location.appending(index), RegistrationRules.user)
        }
        let distinct = Set(users).count
        if distinct < users.count {
            let detail = "\(users.count - distinct) of \(users.count) users are repeats"
            reader.log.warn(.duplicateDevice, at: location, detail)
        }
        return .users(users)
    }

    private func list() -> Audience? {
        guard let text = reader.text("list") else { return nil }
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.allSatisfy(NameRule.isID) else {
            reader.log.refuse(
                .format,
                at: reader.pointer.appending("list"),
                "list must be name or name@version, each 1 to 128 of the characters A-Z a-z 0-9 . _ : -"
            )
            return nil
        }
        return .list(name: parts[0], version: parts.count > 1 ? parts[1] : nil)
    }

    private func devices(isUrgent: Bool, isStored: Bool) -> Audience? {
        guard let elements = reader.array("devices", countMax: .max) else { return nil }
        let location = reader.pointer.appending("devices")
        if elements.isEmpty, !isStored {
            reader.log.refuse(.empty, at: location, "devices is empty", fix: "name at least one device")
        }
        let countMax = isUrgent ? AudienceDecoder.urgentDevicesMax : AudienceDecoder.devicesMax
        if elements.count > countMax {
            reader.log.refuse(
                .tooMany,
                at: location,
                "devices has \(elements.count) entries, at most \(countMax) are allowed"
                    + (isUrgent ? " in an urgent job" : ""),
                fix: "put them into a list and give its name"
            )
            return nil
        }
        var devices: [Device] = []
        devices.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            if let device = DeviceDecoder.device(element, at: location.appending(index), tokens, reader.log) {
                devices.append(device)
            }
        }
        warnOfDuplicates(devices, at: location)
        return .devices(devices)
    }

    private func warnOfDuplicates(_ devices: [Device], at location: JSONPointer) {
        let distinct = Set(devices.map { [$0.provider.rawValue, $0.token] }).count
        guard distinct < devices.count else { return }
        reader.log.warn(
            .duplicateDevice,
            at: location,
            "\(devices.count - distinct) of \(devices.count) devices are repeats; each device is sent to once"
        )
    }
}
