public import Campaigns

/// Decides the owner of an installation's id when somebody registers with it at the edge; pure.
///
/// An integration key ships with the app, so everybody has it. It proves that an app is talking, but not which
/// installation. Only what the installation alone has proves that: its provider token, a token of its user by the app's
/// back end, or its own secret.
public enum Adoption {
    /// A provider's name for a device.
    public struct Token: Hashable, Sendable {
        /// The provider.
        public var provider: ProviderName
        /// The raw bytes.
        public var bytes: [UInt8]

        /// A token.
        public init(provider: ProviderName, bytes: [UInt8]) {
            (self.provider, self.bytes) = (provider, bytes)
        }
    }

    /// The registry's facts about the id.
    public struct Known: Hashable, Sendable {
        /// Its token; nil if that token is another installation's by now.
        public var token: Token?
        /// Its user's key; nil for nobody.
        public var user: String?
        /// The SHA-256 of the secret that it shows; nil if the device never came to the edge.
        public var secretHash: [UInt8]?

        /// The facts about an id that somebody has.
        public init(token: Token?, user: String?, secretHash: [UInt8]?) {
            (self.token, self.user, self.secretHash) = (token, user, secretHash)
        }
    }

    /// The proof that comes with the id.
    public enum Proof: Hashable, Sendable {
        /// A key of the app, with the user that a valid token of the app's back end names; nil without such a token.
        case integrationKey(user: String?)
        /// The SHA-256 of a device's secret.
        case secret(hash: [UInt8])
    }

    /// The owner of the id.
    public enum Verdict: Hashable, Sendable {
        /// Nobody so far: a device begins, and gets a secret.
        case begins
        /// The caller, by the token or the user that it has shown. It gets a new secret, and the old one opens nothing.
        case adopted
        /// The caller, by its secret.
        case itself
        /// Another installation: nothing is changed, given or told.
        case anothers
        /// Nobody has this secret, at least not for this id.
        case unknownSecret
    }

    /// Judges a registration.
    ///
    /// - Parameters:
    ///   - known: The registry's facts about the id; nil if there is no such device, or it was forgotten.
    ///   - token: The token that is registered; nil if the device does not repeat it.
    ///   - proof: The proof that comes with the id.
    public static func judge(_ known: Known?, token: Token?, proof: Proof) -> Verdict {
        switch proof {
        case .secret(let hash): return known?.secretHash == hash ? .itself : .unknownSecret
        case .integrationKey(let user):
            guard let known else { return .begins }
            let hasToken = token != nil && token == known.token
            let isUsers = user != nil && user == known.user
            return hasToken || isUsers ? .adopted : .anothers
        }
    }

    /// Returns true if a device keeps its secret when an operator registers its id, as an import does.
    ///
    /// The secret belongs to whoever has shown the token before. With another token the id is another phone's.
    /// Otherwise somebody could take an id in advance, and get what is imported under it later.
    public static func keepsSecret(_ known: Known, token: Token) -> Bool { known.token == token }
}
