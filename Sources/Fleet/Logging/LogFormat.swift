/// How a line of the log looks (`log.format`).
public enum LogFormat: String, Sendable {
    /// Pretty on a terminal, JSON otherwise.
    case auto
    /// One JSON object a line.
    case json
    /// For people.
    case pretty
}
