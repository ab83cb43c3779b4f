/// What a person would see on a device, and what became of the rest.
public struct DeviceView: Sendable, Equatable {
    /// One message that has arrived.
    public struct Message: Sendable, Equatable {
        /// The provider's name of it.
        public let id: String
        /// The title; nil without one.
        public let title: String?
        /// The text; nil without one.
        public let body: String?
        /// What it takes the place of on the screen (APNs: collapse id, Android: tag); nil for nothing.
        public let displayKey: String?
        /// When it arrived, milliseconds since 1970.
        public let at: Int64
    }

    /// Whether the device can be reached.
    public let isOnline: Bool
    /// What is on the screen, the oldest first; at most 200.
    public let shown: [Message]
    /// What the app got to deal with itself, the oldest first; at most 200.
    public let handed: [Message]
    /// Messages that the provider holds for it.
    public let waiting: Int
    /// Messages that the provider accepted for it since it is watched.
    public let received: Int
    /// Messages that arrived.
    public let delivered: Int
    /// Messages whose place another took before they arrived.
    public let collapsed: Int
    /// Messages whose time was over before they could arrive.
    public let expired: Int
    /// Messages that the provider had no room for.
    public let dropped: Int
    /// How often the app was told that messages were dropped.
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
        waiting = inbox.waiting.count
        received = inbox.counts.received
        delivered = inbox.counts.delivered
        collapsed = inbox.counts.collapsed
        expired = inbox.counts.expired
        dropped = inbox.counts.dropped
        deletions = inbox.counts.deletions
    }

    /// All of it as one JSON object with snake-case names.
    public var json: String {
        let numbers = [
            ("waiting", waiting), ("received", received), ("delivered", delivered), ("collapsed", collapsed),
            ("expired", expired), ("dropped", dropped), ("deletions", deletions),
        ].map { "\"\($0.0)\":\($0.1)" }
        return "{\"online\":\(isOnline),\"shown\":[\(shown.map(\.json).joined(separator: ","))],"
            + "\"handed\":[\(handed.map(\.json).joined(separator: ","))],\(numbers.joined(separator: ","))}"
    }
}

extension DeviceInbox.Delivered {
    /// A message with all that the app gets of it, as one JSON object.
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
