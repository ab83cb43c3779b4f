import Campaigns

/// The signer of a provider token; a process has one token per identity.
public struct ProviderTokenIdentity: Hashable, Sendable {
    /// The team's id, 10 characters of `[A-Z0-9]`.
    public let teamID: String
    /// The key's id, 10 characters of `[A-Z0-9]`.
    public let keyID: String

    /// Creates the identity of a key; nil when one of the ids does not have Apple's form.
    public init?(teamID: String, keyID: String) {
        guard Self.isIdentifier(teamID), Self.isIdentifier(keyID) else { return nil }
        self.teamID = teamID
        self.keyID = keyID
    }

    /// Returns true if a text has the form of Apple's identifiers: ten capital letters or digits.
    public static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x41 && $0 <= 0x5a) }
    }

    /// Returns the credential of tokens signed with the key in a file.
    public func credential(keyFile: String) -> TokenCredential {
        TokenCredential(name: "key \(keyID) of team \(teamID)", keyFile: keyFile, algorithm: .es256) { _ in
            ProviderTokenRule(identity: self)
        }
    }

    /// Returns the bytes to sign.
    func signingInput(issuedAt: Timestamp) -> [UInt8] {
        JSONWebToken.signingInput(
            .es256,
            header: ["kid": .string(keyID)],
            claims: ["iss": .string(teamID), "iat": .number(JSONNumber(issuedAt.seconds))]
        )
    }

    /// Returns the header's value: `bearer` and the token.
    func authorization(signingInput: [UInt8], signature: [UInt8]) -> [UInt8] {
        Array("bearer ".utf8) + JSONWebToken.text(signingInput: signingInput, signature: signature)
    }
}
