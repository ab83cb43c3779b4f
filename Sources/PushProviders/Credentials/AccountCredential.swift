/// The credential with which an app authenticates to a provider.
///
/// Paths are as configured, relative to `apps.yaml`.
public enum AccountCredential: Hashable, Sendable {
    /// Tokens made with a private key.
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

    /// The kind and name of the credential, for people; contains no secret.
    public var summary: String {
        switch self {
        case .token(let credential): credential.name
        case .certificate(let certificateFile, _): "certificate \(certificateFile)"
        }
    }
}

/// A key for tokens, and the rule by which tokens are made.
///
/// Two credentials are equal when they name the same key: a process shares one rule, and so its tokens, per key.
public struct TokenCredential: Hashable, Sendable {
    /// The key's name for people, for example `key ABC123DEFG of team ABCDE12345`; contains no secret.
    public let name: String
    /// The file with the key.
    public let keyFile: String
    /// The algorithm of the signatures.
    public let algorithm: SignatureAlgorithm
    /// True if each endpoint has its own tokens; otherwise one token serves all.
    public let isPerEndpoint: Bool
    /// The key's public half from the settings: the point in base64url; nil when they have none.
    public let publicKey: String?
    private let key: @Sendable ([UInt8]) -> [UInt8]?
    private let rule: @Sendable (ProviderEndpoint) -> any CredentialRule

    /// Creates a credential.
    ///
    /// - Parameters:
    ///   - name: The key's name, for people.
    ///   - keyFile: The file with the key.
    ///   - algorithm: The algorithm of the signatures.
    ///   - isPerEndpoint: True if each endpoint has its own tokens.
    ///   - publicKey: The key's public half from the settings.
    ///   - key: Returns the private key as PEM from the file's bytes; nil when they contain none.
    ///   - rule: Makes the rule of an endpoint's tokens; the endpoint is irrelevant when one token serves all.
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

    /// Returns the private key as PEM from the file's bytes; nil when they contain none.
    public func key(in file: [UInt8]) -> [UInt8]? { key(file) }

    /// Makes a new rule of an endpoint's tokens.
    public func makeRule(for endpoint: ProviderEndpoint) -> any CredentialRule { rule(endpoint) }

    /// Compares the key's name, file and algorithm.
    public static func == (left: TokenCredential, right: TokenCredential) -> Bool {
        left.name == right.name && left.keyFile == right.keyFile && left.algorithm == right.algorithm
    }

    /// Hashes the key's name and file.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(keyFile)
    }
}

/// The algorithm that signs tokens (RFC 7518, 3.1).
public enum SignatureAlgorithm: String, Hashable, Sendable {
    /// ECDSA with P-256 and SHA-256.
    case es256 = "ES256"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
}
