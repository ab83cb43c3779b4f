/// A request body of `messages:send`, read and checked in one pass.
///
/// The reader refuses what Google's JSON reader refuses (unknown names, wrong types); then FCM's rules are checked.
struct FCMMessage {
    /// The longest time to live, also the default.
    ///
    /// Firebase, REST reference, `AndroidConfig.ttl`: "the maximum time to live supported is 4 weeks".
    static let timeToLiveSecondsMost: Int64 = 2_419_200
    /// The most bytes of a message.
    ///
    /// Firebase, error codes: "4096 bytes for most messages, or 2048 bytes in the case of messages to topics. This
    /// includes both the keys and the values."
    static let bytesMost = 4096
    /// The most bytes of a message to a topic; see ``bytesMost``.
    static let topicBytesMost = 2048

    private(set) var isDryRun = false
    private(set) var token: String?
    private(set) var topic: String?
    private(set) var condition: String?
    /// True if the message has a notification, which the system shows.
    private(set) var isNotification = false
    private(set) var title: String?
    private(set) var body: String?
    private(set) var tag: String?
    private(set) var collapseKey: String?
    /// The time for which the message is stored, in seconds; 0 is now or never.
    private(set) var timeToLiveSeconds = timeToLiveSecondsMost

    /// Reads a body; throws its first fault.
    init(_ bytes: ArraySlice<UInt8>) throws(FieldViolation) {
        var reader = ProtoReader(bytes)
        var facts = FCMFacts()
        try reader.read(FCMSchema.request, into: &facts)
        isDryRun = facts.flags[.validateOnly] ?? false
        (token, topic, condition) = (facts.texts[.token], facts.texts[.topic], facts.texts[.condition])
        isNotification = facts.present.contains(.notification) || facts.present.contains(.androidNotification)
        title = facts.texts[.androidTitle] ?? facts.texts[.title]
        body = facts.texts[.androidBody] ?? facts.texts[.body]
        tag = facts.texts[.androidTag]
        collapseKey = facts.texts[.collapseKey]
        try check(facts)
    }

    /// Returns the message's size as it counts against the limit.
    ///
    /// That is the keys and values of its data and its notifications; `android.data` replaces `data`.
    private func size(_ facts: FCMFacts) -> Int {
        (facts.bytes[.androidData] ?? facts.bytes[.data] ?? 0) + (facts.bytes[.notification] ?? 0)
            + (facts.bytes[.androidNotification] ?? 0)
    }

    private mutating func check(_ facts: FCMFacts) throws(FieldViolation) {
        guard [token, topic, condition].contains(where: { $0?.isEmpty == false }) else {
            throw Self.violation("message", "Recipient of the message is not set.")
        }
        for key in facts.dataKeys where Self.isReserved(key) {
            throw Self.violation("message.data", "Invalid data payload key: \(key)")
        }
        if let (seconds, hasFraction) = facts.timeToLive {
            guard seconds < Self.timeToLiveSecondsMost || (seconds == Self.timeToLiveSecondsMost && !hasFraction) else {
                throw Self.violation(
                    "message.android.ttl",
                    "Invalid TTL: must be between 0 and \(Self.timeToLiveSecondsMost) seconds"
                )
            }
            timeToLiveSeconds = seconds
        }
        if let topic, !Self.isTopic(topic) { throw Self.violation("message.topic", "Malformed topic name") }
        if let color = facts.texts[.color], !Self.isColor(color) {
            throw Self.violation("message.android.notification.color", "Invalid color: must be in the form #RRGGBB")
        }
        if let label = facts.texts[.label], !Self.isLabel(label) {
            throw Self.violation("message.fcm_options.analytics_label", "Invalid analytics label")
        }
        guard size(facts) <= (token == nil ? Self.topicBytesMost : Self.bytesMost) else {
            throw Self.violation("message", "Android message is too big")
        }
    }

    private static func violation(_ field: String, _ description: String) -> FieldViolation {
        FieldViolation(field: field, description: description, isOfFCM: true)
    }

    /// Returns true if a key is reserved.
    ///
    /// Firebase, `Message.data`: "The key should not be a reserved word (`from`, `message_type`, or any word starting
    /// with `google.` or `gcm.notification.`)". The older pages and the sender's contract say `gcm.`.
    private static func isReserved(_ key: String) -> Bool {
        key == "from" || key == "message_type" || key.hasPrefix("google.") || key.hasPrefix("gcm.")
    }

    /// Returns true for `[a-zA-Z0-9-_.~%]+`, with or without `/topics/` before it.
    private static func isTopic(_ topic: String) -> Bool {
        let name = topic.hasPrefix("/topics/") ? topic.dropFirst(8) : topic[...]
        return !name.isEmpty && name.utf8.allSatisfy(mayBeInName)
    }

    /// Returns true for a valid `analytics_label`; Firebase: `^[a-zA-Z0-9-_.~%]{1,50}$`.
    private static func isLabel(_ label: String) -> Bool {
        (1...50).contains(label.utf8.count) && label.utf8.allSatisfy(mayBeInName)
    }

    private static func isColor(_ color: String) -> Bool {
        color.utf8.count == 7 && color.hasPrefix("#")
            && color.utf8.dropFirst().allSatisfy { Hexadecimal.value(of: $0) != nil }
    }

    private static func mayBeInName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-_.~%".utf8.contains(byte)
        }
    }
}

/// The facts that a ``ProtoReader`` found.
struct FCMFacts {
    var texts: [FCMFact: String] = [:]
    var flags: [FCMFact: Bool] = [:]
    var present: Set<FCMFact> = []
    /// The sizes of keys and values in bytes.
    var bytes: [FCMFact: Int] = [:]
    var dataKeys: [String] = []
    /// The time to live in whole seconds, and true if there is a fraction.
    var timeToLive: (seconds: Int64, hasFraction: Bool)?
}

extension FCMMessage {
    /// Returns true if a text can be a registration token.
    ///
    /// Firebase specifies no form. All tokens observed so far are an instance id, a colon and a long text of base64url.
    /// A shorter text, or one with other characters, is answered as an invalid token.
    static func isToken(_ token: String) -> Bool {
        let parts = token.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2, (8...64).contains(parts[0].count), (64...4096).contains(parts[1].count) else {
            return false
        }
        return parts.joined().allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
    }
}
