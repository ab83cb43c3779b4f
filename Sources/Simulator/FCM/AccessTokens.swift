import Synchronization
import TLS

/// The OAuth endpoint, which exchanges assertions for access tokens (RFC 7523) and knows which tokens are valid.
///
/// Shared by all connections.
final class AccessTokens: Sendable {
    /// An issued token.
    struct Grant: Equatable {
        /// The time of expiry, in milliseconds since 1970.
        let expiresAt: Int64
        /// The generation of the token; tokens of an earlier one were revoked.
        let generation: Int
    }

    private struct Memory {
        var grants: [[UInt8]: Grant] = [:]
        var fetches: UInt64 = 0
        var refusals: UInt64 = 0
    }

    /// The scopes that an assertion must request.
    static let scopes = [
        "https://www.googleapis.com/auth/firebase.messaging", "https://www.googleapis.com/auth/cloud-platform",
    ]
    /// Google's own address, which an assertion may name instead of the simulator's.
    static let googleAudience = "https://oauth2.googleapis.com/token"
    /// The longest life of an assertion at Google: an hour.
    static let assertionSecondsMost: Int64 = 3600
    /// The tolerance in seconds, because two clocks are never equal.
    static let clockSkewSecondsMost: Int64 = 300
    /// The approximate length of Google's tokens.
    private static let tokenBytes = 1024

    private let access: FCMAccess
    private let verifiers: [RS256.VerificationKey]
    private let seed: UInt64
    private let memory = Mutex(Memory())
    /// Incremented when all tokens are revoked.
    private let generation = Atomic<Int>(0)

    /// Throws if a public key cannot be read; tokens are derived from `seed`.
    init(access: FCMAccess, seed: UInt64) throws(TLSError) {
        self.access = access
        self.seed = seed
        var verifiers: [RS256.VerificationKey] = []
        for account in access.accounts {
            let source = "the key of \(account.clientEmail)"
            verifiers.append(try RS256.VerificationKey(pem: account.publicKeyPEM, source: source))
        }
        self.verifiers = verifiers
    }

    /// The number of issued tokens and of refusals.
    var totals: (fetches: UInt64, refusals: UInt64) { memory.withLock { ($0.fetches, $0.refusals) } }

    /// Revokes all issued tokens, as a change of the account's rights does.
    func revokeAll() { generation.wrappingAdd(1, ordering: .releasing) }

    func reset() {
        memory.withLock { memory in
            memory.fetches = 0
            memory.refusals = 0
        }
    }

    /// Returns the grant of an access token; nil if it is unknown.
    func grant(of token: ArraySlice<UInt8>) -> Grant? { memory.withLock { $0.grants[Array(token)] } }

    /// Returns true if a grant is valid; `now` is in milliseconds since 1970.
    func isGood(_ grant: Grant, now: Int64) -> Bool {
        now < grant.expiresAt && grant.generation == generation.load(ordering: .acquiring)
    }

    /// Answers `POST /token`; `now` is in milliseconds since 1970.
    func answer(_ request: borrowing ProviderRequest, faults: Faults, now: Int64) -> Answer {
        if let error = OAuthError(rawValue: faults.oauthError) { return refuse(error, "This is a fault.", faults) }
        guard request.text(.contentType)?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true,
            let form = FormPairs(String(decoding: request.body, as: UTF8.self)[...])
        else { return refuse(.invalidRequest, "Bad Request", faults) }
        guard let grantType = form["grant_type"] else {
            return refuse(.invalidRequest, "Required parameter is missing: grant_type", faults)
        }
        guard grantType == "urn:ietf:params:oauth:grant-type:jwt-bearer" else {
            return refuse(.unsupportedGrantType, "Invalid grant_type: \(grantType)", faults)
        }
        guard let assertion = form["assertion"] else {
            return refuse(.invalidRequest, "Required parameter is missing: assertion", faults)
        }
        let audiences = [Self.googleAudience, "https://\(request.text(.authority) ?? "")/token"]
        if let fault = fault(in: assertion, audiences: audiences, now: now / 1000) {
            return refuse(fault.error, fault.description, faults)
        }
        return give(seconds: faults.accessTokenSeconds, now: now)
    }

    // MARK: Tokens

    private func give(seconds: Int, now: Int64) -> Answer {
        let token = memory.withLock { memory -> String in
            memory.fetches += 1
            // Nobody uses a token that expired an hour ago, and a long run must not keep them all.
            memory.grants = memory.grants.filter { $0.value.expiresAt > now - 3_600_000 }
            let token = makeToken(memory.fetches, now: now)
            memory.grants[Array(token.utf8)] = Grant(
                expiresAt: now + Int64(seconds) * 1000,
                generation: generation.load(ordering: .acquiring)
            )
            return token
        }
        let text = "{\"access_token\":\"\(token)\",\"expires_in\":\(seconds),\"token_type\":\"Bearer\"}"
        return Answer(status: 200, body: Array(text.utf8), contentType: Answer.json)
    }

    private func makeToken(_ number: UInt64, now: Int64) -> String {
        var bytes: [UInt8] = []
        var word = Mixing.mix(seed ^ Mixing.mix(number) ^ Mixing.mix(UInt64(bitPattern: now)))
        while bytes.count < Self.tokenBytes * 3 / 4 {
            word = Mixing.mix(word)
            withUnsafeBytes(of: word) { bytes.append(contentsOf: $0) }
        }
        return "ya29.c." + String(decoding: Base64URL.encode(bytes), as: UTF8.self)
    }

    private func refuse(_ error: OAuthError, _ description: String, _ faults: Faults) -> Answer {
        memory.withLock { $0.refusals += 1 }
        let text =
            "{\"error\":\"\(error.rawValue)\",\"error_description\":\(JSONNode.quoted(description))}"
        return Answer(
            status: error.status,
            reason: error.rawValue,
            retryAfter: error == .unavailable && !faults.retryAfter.isEmpty ? faults.retryAfter : nil,
            body: Array(text.utf8),
            contentType: Answer.json
        )
    }

    // MARK: Assertions

    private struct AssertionFault {
        let error: OAuthError
        let description: String
    }

    /// Returns the fault of an assertion, in the wording observed at Google's endpoint.
    private func fault(in assertion: String, audiences: [String], now: Int64) -> AssertionFault? {
        func grantFault(_ text: String) -> AssertionFault { AssertionFault(error: .invalidGrant, description: text) }
        let parts = assertion.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.json(parts[0]), let claims = Self.json(parts[1]),
            let signature = Base64URL.decode(Array(parts[2])), header["alg"]?.string == "RS256"
        else { return grantFault("Invalid JWT: Failed to parse.") }
        guard let account = access.accounts.firstIndex(where: { $0.clientEmail == claims["iss"]?.string }) else {
            return grantFault("Invalid grant: account not found")
        }
        if let keyID = header["kid"]?.string, keyID != access.accounts[account].keyID {
            return grantFault("Invalid JWT Signature.")
        }
        let signed = Array(assertion.utf8[parts[0].startIndex..<parts[1].endIndex])
        guard verifiers[account].verifies(signature: signature, of: signed) else {
            return grantFault("Invalid JWT Signature.")
        }
        guard let audience = claims["aud"]?.string, audiences.contains(audience) else {
            return grantFault("Invalid JWT: Failed audience check.")
        }
        guard let issued = claims["iat"]?.integer, let expires = claims["exp"]?.integer, issued >= 0, expires > issued,
            expires - issued <= Self.assertionSecondsMost, issued <= now + Self.clockSkewSecondsMost,
            expires > now - Self.clockSkewSecondsMost
        else {
            return grantFault(
                "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. "
                    + "Check your iat and exp values in the JWT claim."
            )
        }
        let scopes = (claims["scope"]?.string ?? "").split(separator: " ").map(String.init)
        guard !scopes.isEmpty else {
            return AssertionFault(error: .invalidScope, description: "Empty or missing scope not allowed.")
        }
        guard scopes.contains(where: Self.scopes.contains) else {
            return AssertionFault(
                error: .invalidScope,
                description: "Invalid OAuth scope or ID token audience provided."
            )
        }
        return nil
    }

    private static func json(_ part: Substring.UTF8View) -> JSONNode? {
        guard let bytes = Base64URL.decode(Array(part)) else { return nil }
        // Invalid JSON is one of several faults of an assertion; the caller has no use for the offset.
        return try? JSONNode(parsing: bytes[...])
    }
}
