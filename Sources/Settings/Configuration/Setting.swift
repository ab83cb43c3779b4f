/// A key with the value that takes effect, and its origin.
package struct Setting: Sendable {
    /// The key.
    package let key: ConfigurationKey
    /// The value as text; nil is "none".
    package let text: String?
    /// The layer that the value came from.
    package let origin: Origin
    /// The file with its line, the variable, the flag, or `default`.
    package let location: String

    /// The layers, strongest first.
    package enum Origin: String, Sendable {
        case flag, environment, file
        /// The catalogue's own value.
        case fallback = "default"
    }

    /// The value for people, without a password.
    package var redactedText: String? { text.map(key.redacted) }

    /// The password in the value, as it is written there; nil if there is none.
    package var password: String? { text.flatMap { key.password(in: $0) } }
}
