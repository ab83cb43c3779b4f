/// The Live Activities of one token as its phone has them: what came, in the order of arrival, and what is shown.
///
/// Pure. The system shows the state with the newest `timestamp` and drops an older one (Apple, "Starting and updating
/// Live Activities with ActivityKit push notifications"). So the screen hides that a sender confuses the order, and
/// what came does not.
public struct ActivityScreen: Sendable, Equatable {
    /// A message of a Live Activity, as far as the system reads it.
    public struct Message: Sendable, Equatable {
        /// The event: `start`, `update` or `end`.
        public let event: String
        /// The time that the sender gave it, in seconds since 1970.
        public let timestamp: Int64
        /// The `content-state` as JSON, members of objects in the order of their names; nil for an end without one.
        public let state: String?
    }

    /// The messages in the order of arrival, at most the last 200.
    public private(set) var arrived: [Message] = []
    /// The message whose state is on the screen; nil before the first state.
    public private(set) var shown: Message?

    init() {}

    /// Takes a message that has arrived.
    ///
    /// Of two states with the same time the one that came later is shown: times are whole seconds.
    mutating func take(_ message: Message) {
        arrived.append(message)
        if arrived.count > DeviceInbox.shownMost { arrived.removeFirst() }
        guard message.state != nil, message.timestamp >= shown?.timestamp ?? Int64.min else { return }
        shown = message
    }

    /// The screen as one JSON object.
    var json: String {
        "{\"shown\":\(shown?.json ?? "null"),\"arrived\":[\(arrived.map(\.json).joined(separator: ","))]}"
    }
}

extension ActivityScreen.Message {
    fileprivate var json: String {
        "{\"event\":\(JSONNode.quoted(event)),\"timestamp\":\(timestamp),\"state\":\(state ?? "null")}"
    }
}
