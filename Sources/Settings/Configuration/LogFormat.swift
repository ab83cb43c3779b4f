/// The format of a line of the log (`log.format`).
package enum LogFormat: String, Sendable {
    /// Pretty on a terminal, JSON otherwise.
    case auto
    /// One JSON object a line.
    case json
    /// A line for people.
    case pretty
}
