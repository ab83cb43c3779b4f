/// The syntax of a provider's tokens: the texts that a producer may give, and the form that is stored.
///
/// Each provider has one. Code that reads devices gets all of them (`TokenForms`), so that it knows no provider.
/// Immutable, for any thread.
public protocol TokenForm: Sendable {
    /// The provider of the tokens.
    var provider: ProviderName { get }
    /// The description of a valid token, in one sentence that follows a refusal.
    var rule: String { get }
    /// True if tokens are hexadecimal: then the bytes of the digits are stored, otherwise the characters.
    var isHexadecimal: Bool { get }
    /// True if a device may name the provider; false if only an audience's own selector leads to it.
    var isOfDevices: Bool { get }
    /// The environments that a device may name; empty if the provider has only one, or if a token names its own.
    var environments: [PushEnvironment] { get }

    /// Returns a token in its stored form; nil if the text is not a token.
    func token(_ text: UnsafeBufferPointer<UInt8>) -> TokenReading?
    /// Returns a guess at the mistake in a text that is not a token, without repeating the text; nil if there is none.
    func fix(for text: String) -> String?
}

/// A token in its stored form.
public struct TokenReading: Equatable, Sendable {
    /// The token in the canonical form in which it is stored and shown.
    public var text: String
    /// The environment that the token itself names; nil if it names none.
    public var environment: PushEnvironment?

    /// Creates a reading.
    public init(text: String, environment: PushEnvironment? = nil) {
        self.text = text
        self.environment = environment
    }
}

extension TokenForm {
    /// True: devices name the provider.
    public var isOfDevices: Bool { true }

    /// Returns a token in its stored form; nil if the text is not a token.
    public func token(_ text: String) -> TokenReading? {
        var text = text
        return text.withUTF8 { token($0) }
    }

    /// Returns the bytes of a token as chunks and shards hold them.
    public func bytes(of text: String) -> [UInt8] {
        isHexadecimal ? Hexadecimal.bytes(text.utf8) ?? Array(text.utf8) : Array(text.utf8)
    }

    /// Returns a stored token as producers write it.
    public func text(of bytes: [UInt8]) -> String {
        isHexadecimal ? Hexadecimal.text(bytes) : String(decoding: bytes, as: UTF8.self)
    }
}

/// The token forms of all built-in providers.
public struct TokenForms: Sendable {
    private let forms: [any TokenForm]

    /// Takes one form per provider.
    public init(_ forms: [any TokenForm]) {
        self.forms = forms
    }

    /// Returns the refusal of an environment for a provider that has only one.
    static func noEnvironment(_ provider: ProviderName) -> String {
        "devices of \(provider.rawValue) have no environment to name"
    }

    /// The names of the providers that a device may have, in their order.
    public var names: [String] { forms.filter(\.isOfDevices).map(\.provider.rawValue) }

    /// The form of a provider's tokens; nil if the provider is not built in.
    public subscript(provider: ProviderName) -> (any TokenForm)? {
        forms.first { $0.provider == provider }
    }

    /// Returns the bytes of a device's token as chunks and shards hold them.
    public func bytes(of device: Device) -> [UInt8] {
        self[device.provider]?.bytes(of: device.token) ?? Array(device.token.utf8)
    }

    /// Returns a stored token as producers write it.
    public func text(of bytes: [UInt8], provider: ProviderName) -> String {
        self[provider]?.text(of: bytes) ?? Hexadecimal.text(bytes)
    }

    /// Returns the stored bytes of a text for each provider for which it is a token.
    public func readings(of text: String) -> [[UInt8]] {
        forms.filter(\.isOfDevices).compactMap { form in form.token(text).map { form.bytes(of: $0.text) } }
    }
}
