/// The name of a Live Activity: the app's type of attributes, and the id that the app gave to what it shows.
///
/// The system's own id of an activity is another on each phone; this one is the same on all that follow it.
public struct ActivityName: Hashable, Sendable {
    /// The name of the app's `ActivityAttributes` type; 1–128 of `[A-Za-z0-9._:-]`.
    public var type: String
    /// The id, such as `match-7`; 1–128 of `[A-Za-z0-9._:-]`.
    public var id: String

    /// Creates a name from checked words.
    public init(type: String, id: String) {
        (self.type, self.id) = (type, id)
    }
}

/// A token of a device for Live Activities, beside the device's own.
public struct ActivityToken: Hashable, Sendable {
    /// The name of the app's `ActivityAttributes` type.
    public var type: String
    /// The id of the activity that the token updates; nil for the token that starts activities of the type.
    public var id: String?
    /// The token as raw bytes.
    public var token: [UInt8]

    /// Creates a token from checked values.
    public init(type: String, id: String? = nil, token: [UInt8]) {
        (self.type, self.id, self.token) = (type, id, token)
    }

    /// The most tokens of a device; Apple lets an app show five activities at a time.
    public static let most = 32

    /// The time after which the token of an activity is of no use.
    ///
    /// Apple: an activity is active for up to eight hours, and stays on the lock screen for up to four more.
    public static let life = Duration.seconds(12 * 3600)
}

extension DeviceDecoder {
    /// Reads all of a device's tokens for Live Activities; nil if the device says nothing of them.
    static func activities(
        _ reader: ObjectReader,
        _ device: Device?,
        _ tokens: TokenForms
    ) -> [ActivityToken]? {
        guard let elements = reader.array("activities", countMax: ActivityToken.most) else { return nil }
        let location = reader.pointer.appending("activities")
        if let device, !device.token.isEmpty, device.provider != .apns, !elements.isEmpty {
            reader.log.refuse(
                .conflict,
                at: location,
                "activities are Apple's, and the device is of \(device.provider.rawValue)",
                fix: "leave it out"
            )
        }
        let found = elements.enumerated().compactMap { index, element in
            activity(element, at: location.appending(index), tokens, reader.log)
        }
        var seen: Set<[String?]> = []
        for (index, token) in found.enumerated() where !seen.insert([token.type, token.id]).inserted {
            reader.log.refuse(
                .conflict,
                at: location.appending(index),
                "this activity has a token already",
                fix: "give its newest token alone"
            )
        }
        return found
    }

    private static func activity(
        _ value: JSONValue,
        at pointer: JSONPointer,
        _ tokens: TokenForms,
        _ log: ProblemLog
    ) -> ActivityToken? {
        guard let reader = ObjectReader(value, at: pointer, JobFields.activityToken, log) else { return nil }
        reader.require("type")
        reader.require("token")
        let (type, id) = (reader.text("type"), reader.text("id"))
        for (name, word) in [("type", type), ("id", id)] {
            let isWord = word.map(NameRule.isID) ?? true
            require(isWord, reader, name, "\(name) must be 1 to 128 of the characters A-Z a-z 0-9 . _ : -")
        }
        guard let text = reader.text("token"), let form = tokens[.apns] else { return nil }
        guard let token = form.token(text) else {
            log.refuse(.format, at: pointer.appending("token"), form.rule, fix: form.fix(for: text))
            return nil
        }
        return type.map { ActivityToken(type: $0, id: id, token: form.bytes(of: token.text)) }
    }
}
