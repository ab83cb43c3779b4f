import Campaigns

/// Google's rules for a message, checked at intake (`push-protocols.md`, C2), with `content.fcm` merged in.
struct FCMRules {
    private let job: Job
    private let carriesMessageID: Bool
    private var found = JobCheck()

    /// The members that Google's message may have besides its target.
    private static let memberNames = ["data", "notification", "android", "webpush", "apns", "fcm_options"]
    /// The members that name the target and the message, which are ours to set.
    private static let ownNames = ["token", "topic", "condition", "name", "fid"]

    /// Returns everything that is wrong with a job.
    static func check(_ job: Job, carriesMessageID: Bool) -> JobCheck {
        var rules = FCMRules(job: job, carriesMessageID: carriesMessageID)
        if let problem = PushTypeRule.problem(job, .fcm) { rules.found.problems.append(problem) }
        rules.checkNative()
        guard rules.checkRaw() else { return rules.found }
        rules.checkData()
        rules.warnOfWhatIsLost()
        rules.checkSize()
        rules.found.warnings += SoundEndings.android.warnings(job)
        return rules.found
    }

    private init(job: Job, carriesMessageID: Bool) {
        self.job = job
        self.carriesMessageID = carriesMessageID
    }

    private mutating func refuse(_ code: ProblemCode, _ pointer: String, _ detail: String, fix: String) {
        found.problems.append(Problem(pointer: pointer, code: code, detail: detail, fix: fix))
    }

    private mutating func checkNative() {
        guard job.kind == .native, job.content.fcm == nil else { return }
        refuse(.required, "/content/fcm", "a native push has nothing for FCM", fix: "give fcm, or other devices")
    }

    /// Checks the raw fields; returns false when they cannot be merged.
    private mutating func checkRaw() -> Bool {
        guard let raw = job.content.fcm else { return true }
        guard let members = raw.members else {
            refuse(.type, "/content/fcm", "fcm is not an object", fix: "give the message's members as an object")
            return false
        }
        let before = found.problems.count
        for member in members {
            let location = "/content/fcm" + JSONPointer.root.appending(member.name).text
            if Self.ownNames.contains(member.name) {
                refuse(.reserved, location, "the content cannot name the recipient of the message", fix: "leave it out")
            } else if !Self.memberNames.contains(member.name) {
                let near = Spelling.nearest(to: member.name, among: Self.memberNames).map { "did you mean \($0)?" }
                refuse(
                    .unknownField,
                    location,
                    "a message of FCM has no such member",
                    fix: near ?? "it has \(Self.memberNames.joined(separator: ", "))"
                )
            } else if member.value.members == nil {
                refuse(.type, location, "it must be an object, not \(member.value.typeName)", fix: "give an object")
            }
        }
        if raw["android"]?["ttl"] != nil {
            refuse(
                .reserved,
                "/content/fcm/android/ttl",
                "the time to live is the remaining time until the campaign's end",
                fix: "give delivery.expires_at or delivery.ttl"
            )
        }
        if let notification = raw["android"]?["notification"], notification.members == nil {
            let location = "/content/fcm/android/notification"
            refuse(.type, location, "it must be an object, not \(notification.typeName)", fix: "give an object")
        }
        return found.problems.count == before
    }

    /// Google accepts only strings, and reserves some names.
    private mutating func checkData() {
        for member in job.content.fcm?["data"]?.members ?? [] {
            let location = "/content/fcm/data" + JSONPointer.root.appending(member.name).text
            if Self.isReserved(member.name) {
                refuse(.reserved, location, "the key is reserved for Google or for fanfare", fix: "choose another key")
            }
            if member.value.string == nil {
                refuse(
                    .type,
                    location,
                    "FCM's data has strings only",
                    fix: "give a string; content.data converts by itself"
                )
            }
        }
    }

    /// Returns true for keys that Google refuses, and for ours.
    static func isReserved(_ key: String) -> Bool {
        ["fanfare", "from", "message_type"].contains(key) || key.hasPrefix("google.") || key.hasPrefix("gcm.")
    }

    /// Warns of content for which Android has no field.
    private mutating func warnOfWhatIsLost() {
        let content = job.content
        guard job.isShownByAndroid, content.subtitle != nil, content.title == nil, content.body == nil else { return }
        found.warnings.append(
            Problem(
                pointer: "/content/subtitle",
                code: .unusual,
                detail: "a subtitle alone shows nothing on Android",
                fix: "give title or body"
            )
        )
    }

    private mutating func checkSize() {
        found.problems += PayloadSize.problems(
            job,
            FCMProvider(),
            carriesMessageID: carriesMessageID,
            what: "the message",
            taker: "FCM"
        )
    }
}
