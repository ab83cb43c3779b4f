/// How tokens of one provider are written: what a producer may give, and what is kept of it.
///
/// Each provider has one; whoever reads devices is handed all of them (`TokenForms`), so that no reader knows providers.
/// Immutable, for any thread.
public protocol TokenForm: Sendable {
    /// Whose tokens they are.
    var provider: ProviderName { get }
    /// What a token is, in one sentence that stands behind a refusal.
    var rule: String { get }
    /// Whether tokens are hexadecimal digits: then the bytes that the digits stand for are kept, otherwise the characters.
    var isHexadecimal: Bool { get }
    /// The worlds that a device may name; none when the provider has one only, or a token says it itself.
    var environments: [PushEnvironment] { get }

    /// A token as it is kept; nil when the text is none.
    func token(_ text: UnsafeBufferPointer<UInt8>) -> TokenReading?
    /// What is probably the matter with a text that is no token, without saying it; nil when nothing can be guessed.
    func fix(for text: String) -> String?
}

/// A token as it was read.
public struct TokenReading: Equatable, Sendable {
    /// The token in the one way in which it is kept and shown.
    public var text: String
    /// The world that the token itself says it is of; nil when it says none.
    public var environment: PushEnvironment?

    /// A reading.
    public init(text: String, environment: PushEnvironment? = nil) {
        self.text = text
        self.environment = environment
    }
}

extension TokenForm {
    /// A token as it is kept; nil when the text is none.
    public func token(_ text: String) -> TokenReading? {
        var text = text
        return text.withUTF8 { token($0) }
    }

    /// The bytes of a token as chunks and shards hold them.
    public func bytes(of text: String) -> [UInt8] {
        isHexadecimal ? Hexadecimal.bytes(text.utf8) ?? Array(text.utf8) : Array(text.utf8)
    }

    /// A token as producers write it, from the bytes that are held.
    public func text(of bytes: [UInt8]) -> String {
        isHexadecimal ? Hexadecimal.text(bytes) : String(decoding: bytes, as: UTF8.self)
    }
}

/// The forms of all providers that are built in.
public struct TokenForms: Sendable {
    private let forms: [any TokenForm]

    /// Forms, one a provider.
    public init(_ forms: [any TokenForm]) {
        self.forms = forms
    }

    /// Why a device of a provider with one world cannot name one.
    static func noEnvironment(_ provider: ProviderName) -> String {
        "devices of \(provider.rawValue) have no environment to name"
    }

    /// The providers' names in their order.
    public var names: [String] { forms.map(\.provider.rawValue) }

    /// The form of a provider's tokens; nil when it is not built in.
    public subscript(provider: ProviderName) -> (any TokenForm)? {
        forms.first { $0.provider == provider }
    }

    /// The bytes of a device's token as chunks and shards hold them.
    public func bytes(of device: Device) -> [UInt8] {
        self[device.provider]?.bytes(of: device.token) ?? Array(device.token.utf8)
    }

    /// A token as producers write it, from the bytes that are held.
    public func text(of bytes: [UInt8], provider: ProviderName) -> String {
        self[provider]?.text(of: bytes) ?? Hexadecimal.text(bytes)
    }

    /// The bytes that a text may be held as, of whatever provider it is a token.
    public func readings(of text: String) -> [[UInt8]] {
        forms.compactMap { form in form.token(text).map { form.bytes(of: $0.text) } }
    }
}
