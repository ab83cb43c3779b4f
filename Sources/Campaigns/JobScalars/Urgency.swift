/// The second part of a lane's name: urgent sends never wait behind bulk.
public enum Urgency: String, Sendable, CaseIterable {
    /// Ahead of bulk, on connections of its own.
    case urgent
    /// Everything else.
    case bulk
}
