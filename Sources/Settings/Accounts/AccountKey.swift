package import Campaigns

/// An app and one of its providers: the name of an account.
package struct AccountKey: Hashable, Comparable, CustomStringConvertible, Sendable {
    /// The app.
    package let app: String
    /// The provider.
    package let provider: ProviderName

    /// Creates a key.
    package init(app: String, provider: ProviderName) {
        self.app = app
        self.provider = provider
    }

    /// Orders by the app's name, then by the provider's.
    package static func < (left: AccountKey, right: AccountKey) -> Bool {
        (left.app, left.provider.rawValue) < (right.app, right.provider.rawValue)
    }

    /// `news (apns)`, for logs.
    package var description: String { "\(app) (\(provider.rawValue))" }
}
