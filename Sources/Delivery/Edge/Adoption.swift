public import Campaigns

/// Decides whose an installation's id is when somebody registers with it at the edge; pure.
///
/// An integration key ships with the app, so that everybody has it: it proves that an app speaks, and never which
/// installation. Only what the installation alone has does that: its provider token, a token of its user by the app's
/// back end, or its own secret.
public enum Adoption {
    /// A provider's name for a device.
    public struct Token: Hashable, Sendable {
        /// Whose it is.
        public var provider: ProviderName
        /// The raw bytes.
        public var bytes: [UInt8]

        /// A token.
        public init(provider: ProviderName, bytes: [UInt8]) {
            (self.provider, self.bytes) = (provider, bytes)
        }
    }

    /// What the registry knows of the id.
    public struct Known: Hashable, Sendable {
        /// Its token; nil of one whose token is another installation's by now.
        public var token: Token?
        /// Its user's key; nil for nobody.
        public var user: String?
        /// SHA-256 of the secret that it shows; nil of one that never came to the edge.
        public var secretHash: [UInt8]?

        /// An id that somebody has.
        public init(token: Token?, user: String?, secretHash: [UInt8]?) {
            (self.token, self.user, self.secretHash) = (token, user, secretHash)
        }
    }

    /// What is shown with the id.
    public enum Proof: Hashable, Sendable {
        /// A key of the app; with the user whom a valid token of the app's back end names, nil without one.
        case integrationKey(user: String?)
        /// SHA-256 of a device's secret.
        case secret(hash: [UInt8])
    }

    /// Whose the id is.
    public enum Verdict: Hashable, Sendable {
        /// Nobody's so far: a device begins, and gets a secret.
        case begins
        /// The one's who asks, who has shown that; it gets a new secret, and what was shown before opens nothing.
        case adopted
        /// The one's who asks, by its secret.
        case itself
        /// Another installation's: nothing is changed, given or told.
        case anothers
        /// Nobody has this secret, or not for this id.
        case unknownSecret
    }

    /// Judges a registration.
    ///
    /// - Parameters:
    ///   - known: What the registry knows of the id; nil when there is no such device, or it was forgotten.
    ///   - token: The token that is registered; nil when the device does not say it again.
    ///   - proof: What is shown.
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

    /// Whether a device keeps its secret when an operator registers its id, as an import does.
    ///
    /// The secret is that of whoever has shown the token before. With another token the id is another phone's: otherwise
    /// somebody could take an id in advance, and have what is imported under it later.
    public static func keepsSecret(_ known: Known, token: Token) -> Bool { known.token == token }
}
