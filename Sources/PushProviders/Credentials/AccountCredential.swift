/// How an app proves who it is to a provider.
///
/// Paths are as configured, relative to `apps.yaml`.
public enum AccountCredential: Hashable, Sendable {
    /// Tokens that are made with a private key.
    case token(TokenCredential)
    /// A client certificate; requests carry no authorization.
    case certificate(certificateFile: String, privateKeyFile: String)

    /// The files that the driver reads.
    public var files: [String] {
        switch self {
        case .token(let credential): [credential.keyFile]
        case .certificate(let certificateFile, let privateKeyFile): [certificateFile, privateKeyFile]
        }
    }

    /// Its kind and its name, for people; no secret.
    public var summary: String {
        switch self {
        case .token(let credential): credential.name
        case .certificate(let certificateFile, _): "certificate \(certificateFile)"
        }
    }
}

/// A key that tokens are made with, and the rule by which they are made.
///
/// Two are equal when they name the same key: processes share one rule, and so its tokens, per key.
public struct TokenCredential: Hashable, Sendable {
    /// The key's name for people, for example `key ABC123DEFG of team ABCDE12345`; no secret.
    public let name: String
    /// The file that has it.
    public let keyFile: String
    /// What is signed with it.
    public let algorithm: SignatureAlgorithm
    /// Whether each endpoint has tokens of its own; otherwise one serves all.
    public let isPerEndpoint: Bool
    /// The key's public half as the settings have it: the point in base64url; nil when they say none.
    public let publicKey: String?
    private let key: @Sendable ([UInt8]) -> [UInt8]?
    private let rule: @Sendable (ProviderEndpoint) -> any CredentialRule

    /// A credential.
    ///
    /// - Parameters:
    ///   - name: The key's name, for people.
    ///   - keyFile: The file that has it.
    ///   - algorithm: What is signed with it.
    ///   - isPerEndpoint: Whether each endpoint has tokens of its own.
    ///   - publicKey: The key's public half as the settings have it.
    ///   - key: The private key as PEM in the file's bytes; nil when there is none in it.
    ///   - rule: Makes the rule of an endpoint's tokens; the endpoint means nothing when one serves all.
    public init(
        name: String,
        keyFile: String,
        algorithm: SignatureAlgorithm,
        isPerEndpoint: Bool = false,
        publicKey: String? = nil,
        key: @escaping @Sendable ([UInt8]) -> [UInt8]? = { $0 },
        rule: @escaping @Sendable (ProviderEndpoint) -> any CredentialRule
    ) {
        self.name = name
        self.keyFile = keyFile
        self.algorithm = algorithm
        self.isPerEndpoint = isPerEndpoint
        self.publicKey = publicKey
        self.key = key
        self.rule = rule
    }

    /// The private key as PEM in the file's bytes; nil when there is none in it.
    public func key(in file: [UInt8]) -> [UInt8]? { key(file) }

    /// The rule of an endpoint's tokens, from the beginning.
    public func makeRule(for endpoint: ProviderEndpoint) -> any CredentialRule { rule(endpoint) }

    /// By the key's name, file and use.
    public static func == (left: TokenCredential, right: TokenCredential) -> Bool {
        left.name == right.name && left.keyFile == right.keyFile && left.algorithm == right.algorithm
    }

    /// See `==`.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(keyFile)
    }
}

/// How tokens are signed (RFC 7518, 3.1).
public enum SignatureAlgorithm: String, Hashable, Sendable {
    /// ECDSA with P-256 and SHA-256.
    case es256 = "ES256"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
}
