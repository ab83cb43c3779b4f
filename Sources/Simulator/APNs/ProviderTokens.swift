import Synchronization
import TLS

/// A provider token (JWT) whose signature was verified.
struct ProviderToken: Sendable {
    /// The whole `authorization` value, to recognize the same token without parsing it.
    let authorization: [UInt8]
    /// The index of the registered key that signed it.
    let key: Int
    /// The `iat` claim, in seconds since 1970.
    let issuedAt: Int64
}

/// Verifies provider tokens against the registered keys and tracks how often each team changes them.
///
/// Shared by all connections; called only when a connection shows a new token.
final class ProviderTokens: Sendable {
    private struct Memory {
        /// The tokens of each team with the second at which they were first seen.
        var seen: [String: [[UInt8]: Int64]] = [:]
        /// Every token received, by key id.
        var all: [String: Set<[UInt8]>] = [:]
        var keysMost = 0
    }

    let access: APNsAccess
    private let verifiers: [ES256.VerificationKey]
    private let memory = Mutex(Memory())

    /// Throws if a public key cannot be read.
    init(access: APNsAccess) throws(TLSError) {
        self.access = access
        var verifiers: [ES256.VerificationKey] = []
        for key in access.keys {
            verifiers.append(try ES256.VerificationKey(pem: key.publicKeyPEM, source: "the key \(key.keyID)"))
        }
        self.verifiers = verifiers
    }

    /// Returns the token in an `authorization` value, or the reason of its refusal.
    func token(from authorization: ArraySlice<UInt8>, now: Int64) -> Result<ProviderToken, APNsRefusal> {
        guard let token = verified(Array(authorization)) else { return .failure(.init(.invalidProviderToken)) }
        let team = access.keys[token.key].teamID
        let isFrequent = memory.withLock { memory -> Bool in
            memory.all[access.keys[token.key].keyID, default: []].insert(token.authorization)
            var seen = memory.seen[team, default: [:]]
            if seen[token.authorization] != nil { return false }
            seen = seen.filter { $0.value > now - access.tokenUpdateSecondsLeast }
            defer { memory.seen[team] = seen }
            guard seen.count < access.teamTokensMost else { return true }
            seen[token.authorization] = now
            return false
        }
        return isFrequent ? .failure(.init(.tooManyProviderTokenUpdates)) : .success(token)
    }

    /// Records the number of keys whose tokens one connection has shown.
    func note(keysOfConnection count: Int) {
        memory.withLock { $0.keysMost = max($0.keysMost, count) }
    }

    /// The number of different tokens received per key, and the most keys of one connection.
    var totals: (tokens: [String: Int], keysMost: Int) {
        memory.withLock { ($0.all.mapValues(\.count), $0.keysMost) }
    }

    /// Forgets the seen tokens.
    func reset() { memory.withLock { $0 = Memory() } }

    private func verified(_ authorization: [UInt8]) -> ProviderToken? {
        let scheme = Array("bearer ".utf8)
        guard authorization.count > scheme.count,
            authorization.prefix(scheme.count).map({ $0 | 0x20 }).elementsEqual(scheme)
        else { return nil }
        let parts = authorization.dropFirst(scheme.count).split(
            separator: UInt8(ascii: "."),
            omittingEmptySubsequences: false
        )
        guard parts.count == 3, let header = Self.json(parts[0]), let claims = Self.json(parts[1]),
            let signature = Base64URL.decode(Array(parts[2])), signature.count == 64,
            header["alg"]?.string == "ES256", let keyID = header["kid"]?.string,
            let team = claims["iss"]?.string, let issuedAt = claims["iat"]?.integer
        else { return nil }
        guard let key = access.keys.firstIndex(where: { $0.keyID == keyID && $0.teamID == team }) else { return nil }
        let signed = Array(authorization[parts[0].startIndex..<parts[1].endIndex])
        guard verifiers[key].verifies(signature: signature, of: signed) else { return nil }
        return ProviderToken(authorization: authorization, key: key, issuedAt: issuedAt)
    }

    private static func json(_ part: ArraySlice<UInt8>) -> JSONNode? {
        guard let bytes = Base64URL.decode(Array(part)) else { return nil }
        // Invalid JSON is one of several faults of a token; the caller has no use for the offset.
        return try? JSONNode(parsing: bytes[...])
    }
}

/// A reason as an error, for `Result`.
struct APNsRefusal: Error, Equatable {
    let reason: APNsReason

    init(_ reason: APNsReason) { self.reason = reason }
}
