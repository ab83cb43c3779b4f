import Campaigns
import Settings
import Synchronization

/// The tokens currently known; read again on SIGHUP.
///
/// May be used from any thread.
final class AccessTokens: Sendable {
    private struct Entry {
        let hash: [UInt8]
        let caller: Caller
        let expiresAt: Timestamp?
    }

    private let entries: Mutex<[Entry]>

    init(_ tokens: [AccessToken]) {
        entries = Mutex(Self.entries(tokens))
    }

    /// Replaces all tokens.
    func replace(_ tokens: [AccessToken]) {
        let new = Self.entries(tokens)
        entries.withLock { $0 = new }
    }

    /// Returns the caller of a token; nil when the token is unknown or expired.
    ///
    /// Timing does not reveal how much of a hash matched: every hash is compared, to its end.
    func caller(token: String, now: Timestamp) -> Caller? { caller(hash: NewAccessToken.hash(token), now: now) }

    /// Returns the caller by the SHA-256 of the token's text.
    func caller(hash: [UInt8], now: Timestamp) -> Caller? {
        var found: Entry?
        for entry in entries.withLock({ $0 }) where Self.isSame(hash, entry.hash) { found = entry }
        guard let found, found.expiresAt.map({ now < $0 }) ?? true else { return nil }
        return found.caller
    }

    static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        var difference: UInt8 = 0
        for index in one.indices { difference |= one[index] ^ other[index] }
        return difference == 0
    }

    private static func entries(_ tokens: [AccessToken]) -> [Entry] {
        tokens.map { token in
            // The file's reader accepts these three roles only.
            guard let role = Role(rawValue: token.role) else {
                preconditionFailure("a token with the role \(token.role)")
            }
            let caller = Caller(name: token.name, role: role, apps: token.apps)
            return Entry(hash: token.hash, caller: caller, expiresAt: token.expiresAt)
        }
    }
}
