public import Campaigns

/// A signed provider token: a JWT with ES256 (`push-protocols.md`, C1.6).
///
/// Immutable; one serves all connections of a process.
public struct ProviderToken: Hashable, Sendable {
    /// The number of the token within its rule, from 1, by which an answer finds the token that it is about.
    public let generation: UInt32
    /// The `iat` by which Apple judges the token's age.
    public let issuedAt: Timestamp
    /// The value of the `authorization` header.
    ///
    /// A secret that must not appear in a log.
    public let authorization: [UInt8]
}

/// The text of a token before it is signed.
enum ProviderTokenText {
    /// The length of an ES256 signature in a JWT: r and s, 32 bytes each (RFC 7518, 3.4), not DER.
    static let signatureBytes = 64

    /// Returns the bytes to sign.
    static func signingInput(_ identity: ProviderTokenIdentity, issuedAt: Timestamp) -> [UInt8] {
        JSONWebToken.signingInput(
            .es256,
            header: ["kid": .string(identity.keyID)],
            claims: ["iss": .string(identity.teamID), "iat": .number(JSONNumber(issuedAt.seconds))]
        )
    }

    /// Returns the header's value: `bearer` and the token.
    static func authorization(signingInput: [UInt8], signature: [UInt8]) -> [UInt8] {
        Array("bearer ".utf8) + JSONWebToken.text(signingInput: signingInput, signature: signature)
    }
}
