/// The rights of an app's devices at the edge.
package struct EdgeConfiguration: Sendable {
    /// The keys that installations show when they register; several while one replaces another.
    package let integrationKeys: [IntegrationKey]
    /// The keys that verify the user tokens of the app's back end; nil: users are not verified.
    package let userKeys: UserKeys?
    /// True if a user's key needs a token of the app's back end.
    package let requiresUserToken: Bool
    /// True if devices may set their own tags and attributes.
    package let devicesMayTag: Bool
    /// The origins of the app's sites, whose pages may talk to the edge (Fetch, section 3.2).
    package let webOrigins: Set<String>
    /// The absolute paths of the key files; this value is outdated when one of them changes.
    package let files: [String]
}

/// A key that an app ships with; the server knows its hash, not the key.
package struct IntegrationKey: Sendable, Equatable {
    /// The name that tells people this key from the app's others.
    package let name: String
    /// SHA-256 of the key's text: 32 bytes.
    package let hash: [UInt8]
    /// The instant of its creation (RFC 3339).
    package let createdAt: String

    /// Creates a key.
    package init(name: String, hash: [UInt8], createdAt: String) {
        self.name = name
        self.hash = hash
        self.createdAt = createdAt
    }
}
