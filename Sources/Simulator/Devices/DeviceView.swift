/// The messages that a person would see on a device, and the counts of the others.
public struct DeviceView: Sendable, Equatable {
    /// One message that arrived.
    public struct Message: Sendable, Equatable {
        /// The provider's id of the message.
        public let id: String
        /// The title; nil without one.
        public let title: String?
        /// The text; nil without one.
        public let body: String?
        /// The key of the message that it replaces on the screen (APNs: collapse id, Android: tag); nil for none.
        public let displayKey: String?
        /// The time of arrival, in milliseconds since 1970.
        public let at: Int64
    }

    /// True if the device is online.
    public let isOnline: Bool
    /// The messages on the screen, oldest first; at most 200.
    public let shown: [Message]
    /// The messages handed to the app, oldest first; at most 200.
    public let handed: [Message]
    /// The token's Live Activities; nil before their first message.
    public let activity: ActivityScreen?
    /// Messages that the provider holds for the device.
    public let waiting: Int
    /// Messages that the provider accepted for the device since it is watched.
    public let received: Int
    /// Messages that arrived.
    public let delivered: Int
    /// Messages that another replaced before they arrived.
    public let collapsed: Int
    /// Messages that expired before they arrived.
    public let expired: Int
    /// Messages for which the provider had no room.
    public let dropped: Int
    /// The number of notices to the app that messages were dropped.
    public let deletions: Int

    init(_ inbox: DeviceInbox) {
        func messages(_ delivered: [DeviceInbox.Delivered]) -> [Message] {
            delivered.map { delivered in
                let message = delivered.message
                return Message(
                    id: message.id,
                    title: message.title,
                    body: message.body,
                    displayKey: message.displayKey,
                    at: delivered.at
                )
            }
        }
        isOnline = inbox.isOnline
        shown = messages(inbox.shown)
        handed = messages(inbox.handed)
        activity = inbox.activity
        waiting = inbox.waiting.count
        received = inbox.counts.received
        delivered = inbox.counts.delivered
        collapsed = inbox.counts.collapsed
        expired = inbox.counts.expired
        dropped = inbox.counts.dropped
        deletions = inbox.counts.deletions
    }

    /// The view as one JSON object with snake-case names.
    public var json: String {
        let numbers = [
            ("waiting", waiting), ("received", received), ("delivered", delivered), ("collapsed", collapsed),
            ("expired", expired), ("dropped", dropped), ("deletions", deletions),
        ].map { "\"\($0.0)\":\($0.1)" }
        let activity = activity.map { ",\"activity\":\($0.json)" } ?? ""
        return "{\"online\":\(isOnline),\"shown\":[\(shown.map(\.json).joined(separator: ","))],"
            + "\"handed\":[\(handed.map(\.json).joined(separator: ","))],\(numbers.joined(separator: ","))\(activity)}"
    }
}

extension DeviceInbox.Delivered {
    /// The message with everything that the app receives of it, as one JSON object.
    var json: String {
        func quoted(_ text: String?) -> String { text.map(JSONNode.quoted) ?? "null" }
        return "{\"id\":\(quoted(message.id)),\"shown\":\(message.isShown),"
            + "\"display_key\":\(quoted(message.displayKey)),\"at\":\(at),\"payload\":\(message.payload ?? "null")}"
    }
}

extension DeviceView.Message {
    fileprivate var json: String {
        func quoted(_ text: String?) -> String { text.map(JSONNode.quoted) ?? "null" }
        return "{\"id\":\(quoted(id)),\"title\":\(quoted(title)),\"body\":\(quoted(body)),"
            + "\"display_key\":\(quoted(displayKey)),\"at\":\(at)}"
    }
}
