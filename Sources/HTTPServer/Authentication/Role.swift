/// The rights of a caller; each role includes the rights of the one before it.
package enum Role: String, Sendable, CaseIterable, Comparable {
    /// May read.
    case viewer
    /// May send, change and pause campaigns, and change lists, devices, contents, parked messages and webhooks.
    case `operator`
    /// May read the audit log.
    case admin

    /// Orders roles by their rights.
    package static func < (one: Role, other: Role) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .viewer: 0
        case .operator: 1
        case .admin: 2
        }
    }
}
