import Campaigns

/// One event of a stream (HTML Living Standard, section 9.2: server-sent events).
struct LiveEvent: Sendable, Equatable {
    /// The type, for example `status`.
    var name: String
    /// The position from which a reconnecting browser continues; nil for events outside the history.
    var id: Int64?
    var data: JSONValue

    /// The event's wire form; JSON without white space has no line breaks.
    var text: String {
        (id.map { "id: \($0)\n" } ?? "") + "event: \(name)\ndata: \(data.text)\n\n"
    }

    /// A comment line, which shows each end that the other is there.
    static let heartbeat = ": still here\n\n"
}
