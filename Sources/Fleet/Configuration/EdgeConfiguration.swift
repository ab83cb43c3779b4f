/// What an app lets its devices do at the edge.
public struct EdgeConfiguration: Sendable {
    /// What the app's installations show the first time; several while one takes the place of another.
    public let integrationKeys: [IntegrationKey]
    /// What the app's back end signs user tokens with; nil: nobody verifies users.
    public let userKeys: UserKeys?
    /// Whether a user's key needs a token of the app's back end.
    public let requiresUserToken: Bool
    /// Whether devices may set tags and attributes of themselves.
    public let devicesMayTag: Bool
    /// The files of keys, absolute: when one changes, this is of yesterday.
    public let files: [String]
}

/// A key that an app ships with, as the server knows it: not the key, but its hash.
public struct IntegrationKey: Sendable, Equatable {
    /// Tells it from the app's others, for people.
    public let name: String
    /// SHA-256 of the key's text: 32 bytes.
    public let hash: [UInt8]
    /// When it was made (RFC 3339).
    public let createdAt: String

    /// A key.
    public init(name: String, hash: [UInt8], createdAt: String) {
        self.name = name
        self.hash = hash
        self.createdAt = createdAt
    }
}
