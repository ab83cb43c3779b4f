package import Campaigns
import PushProviders
package import Store

/// The devices that are excluded from an audience.
package struct Exclusion: Sendable {
    private let segment: TrackedSegment?
    private let users: Set<[UInt8]>
    private let tokens: TokenSet?

    /// An exclusion of no device.
    static let nobody = Exclusion(segment: nil, users: [], tokens: nil)

    private init(segment: TrackedSegment?, users: Set<[UInt8]>, tokens: TokenSet?) {
        (self.segment, self.users, self.tokens) = (segment, users, tokens)
    }

    /// Reads the devices that a job excludes; the tokens of a list go to a file if they exceed some megabytes.
    package static func read(
        _ selector: Audience?,
        app: String,
        list: UInt32?,
        now: Timestamp,
        from ledger: Ledger
    ) async throws -> Exclusion {
        switch selector {
        case nil: return .nobody
        case .segment(let segment):
            let tracked = try await TrackedSegment.read(segment, app: app, now: now, from: ledger)
            return Exclusion(segment: tracked, users: [], tokens: nil)
        case .users(let keys): return Exclusion(segment: nil, users: Set(keys.map { Array($0.utf8) }), tokens: nil)
        case .everyone: throw LedgerError.failed("a job that leaves everybody out was accepted")
        case .channel, .activity:
            throw LedgerError.failed("a job that leaves a channel or an activity out was accepted")
        case .devices(let devices):
            let tokens = try TokenSet()
            try tokens.insert(devices.map { ($0.provider, ProviderRegistry.tokens.bytes(of: $0)) })
            return Exclusion(segment: nil, users: [], tokens: tokens)
        case .list(let name, _):
            guard let list else { throw LedgerError.failed("the list \(name) that is left out is gone") }
            let tokens = try TokenSet()
            var after: Int64 = -1
            while true {
                let position = after
                let chunks = try await ledger.read { try $0.listChunks(list, after: position) }
                guard let last = chunks.last else { break }
                for chunk in chunks {
                    try tokens.insert(
                        (0..<chunk.devices.count).map {
                            (chunk.group.provider, Array(chunk.devices.tokens[chunk.devices.tokenRange(at: $0)]))
                        }
                    )
                }
                after = Int64(last.ordinal)
            }
            return Exclusion(segment: nil, users: [], tokens: tokens)
        }
    }

    /// True if devices are excluded by token.
    var hasTokens: Bool { tokens != nil }

    /// True if a device of a list must be looked up in the registry.
    var looksUp: Bool { segment != nil || !users.isEmpty }

    /// Returns true if a device of the registry is excluded by anything but its token.
    func leavesOut(_ traits: PackedTraits, user: UnsafeRawBufferPointer, number: Int64) -> Bool {
        if let segment { return segment.matches(traits, number: number) }
        return !users.isEmpty && !user.isEmpty && users.contains(Array(user))
    }

    /// Returns true if a device that was looked up is excluded.
    func leavesOut(_ device: RegisteredDevice) -> Bool {
        if let segment { return segment.matches(device) }
        return device.user.map { users.contains(Array($0.utf8)) } ?? false
    }

    /// Returns true for each device that is excluded by its token.
    func leavesOut(tokens asked: [(provider: ProviderName, token: [UInt8])]) throws(LedgerError) -> [Bool] {
        try tokens?.contains(asked) ?? Array(repeating: false, count: asked.count)
    }
}

/// A set of tokens in a private temporary database.
// Safety: the planner, or whoever counts, owns it, and fills and reads it from one task at a time.
private final class TokenSet: @unchecked Sendable {
    private let filter: TokenFilter

    init() throws(LedgerError) {
        filter = try TokenFilter()
    }

    func insert(_ devices: [(provider: ProviderName, token: [UInt8])]) throws(LedgerError) {
        _ = try filter.areNew(devices)
    }

    func contains(_ devices: [(provider: ProviderName, token: [UInt8])]) throws(LedgerError) -> [Bool] {
        try filter.wereSeen(devices)
    }
}
