/// What a caller may do; each role may do all that the one before it may.
public enum Role: String, Sendable, CaseIterable, Comparable {
    /// Looks.
    case viewer
    /// Sends, pauses, resumes, cancels, fires; lists, devices, parked messages.
    case `operator`
    /// Sees who did what.
    case admin

    /// By what they may do.
    public static func < (one: Role, other: Role) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .viewer: 0
        case .operator: 1
        case .admin: 2
        }
    }
}
