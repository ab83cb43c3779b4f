/// How an app proves who it is to a provider.
///
/// Paths are as configured, relative to `apps.yaml`.
public enum AccountCredential: Hashable, Sendable {
    /// A token that we sign (JWT), renewed by `ProviderTokenRule`.
    case providerToken(ProviderTokenIdentity, keyFile: String)
    /// A client certificate; requests carry no authorization.
    case certificate(certificateFile: String, privateKeyFile: String)

    /// The files that the driver reads.
    public var files: [String] {
        switch self {
        case .providerToken(_, let keyFile): [keyFile]
        case .certificate(let certificateFile, let privateKeyFile): [certificateFile, privateKeyFile]
        }
    }

    /// Its kind and its name, for people; no secret.
    public var summary: String {
        switch self {
        case .providerToken(let identity, _): "key \(identity.keyID) of team \(identity.teamID)"
        case .certificate(let certificateFile, _): "certificate \(certificateFile)"
        }
    }
}

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
}
