/// Who signs a provider token: processes share one token per identity.
public struct ProviderTokenIdentity: Hashable, Sendable {
    /// The team, 10 of `[A-Z0-9]`.
    public let teamID: String
    /// The key, 10 of `[A-Z0-9]`.
    public let keyID: String

    /// Identity of a key; nil when one of the two does not have Apple's form.
    public init?(teamID: String, keyID: String) {
        guard Self.isIdentifier(teamID), Self.isIdentifier(keyID) else { return nil }
        self.teamID = teamID
        self.keyID = keyID
    }

    /// Whether a text has the form of Apple's identifiers: ten capital letters or digits.
    public static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x41 && $0 <= 0x5a) }
    }

    /// Tokens that are signed with the key in a file.
    public func credential(keyFile: String) -> TokenCredential {
        TokenCredential(name: "key \(keyID) of team \(teamID)", keyFile: keyFile, algorithm: .es256) { _ in
            ProviderTokenRule(identity: self)
        }
    }
}
