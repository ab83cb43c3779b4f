import Campaigns

/// One event of a stream (HTML Living Standard, section 9.2: server-sent events).
struct LiveEvent: Sendable, Equatable {
    /// What it is about, for example `status`.
    var name: String
    /// Its place, by which a browser that was cut off says where to go on; nil of what has none.
    var id: Int64?
    var data: JSONValue

    /// As it is sent; JSON without white space has no line ends.
    var text: String {
        (id.map { "id: \($0)\n" } ?? "") + "event: \(name)\ndata: \(data.text)\n\n"
    }

    /// A line that is no event: it shows both ends that the other is there.
    static let heartbeat = ": still here\n\n"
}
