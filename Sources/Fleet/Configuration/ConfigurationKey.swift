/// One key of the configuration: what it is called everywhere, what it may hold, what it is without being set.
public struct ConfigurationKey: Sendable {
    /// The name in the YAML file and in messages, for example `amqp.url`.
    public let name: String
    /// What may stand there.
    public let kind: Kind
    /// The value as text when no layer sets it; nil is "none".
    public let fallback: String?
    /// What it means, in one line.
    public let documentation: String
    /// Whether a running worker takes a new value on SIGHUP.
    public let isHot: Bool

    /// The forms of values, each with its own check.
    public enum Kind: Sendable {
        /// `amqp://` or `amqps://`, hosts separated by commas; may carry a password.
        case brokerURL
        /// `sqlite:PATH` or `postgres://…`; may carry a password.
        case storeURL
        /// `http://host:port`.
        case httpURL
        /// A path, relative to the configuration file.
        case path
        /// A whole number within a range.
        case number(ClosedRange<Int>)
        /// A number with a unit: `500ms`, `20s`, `10m`, `2h`, `90d`.
        case duration
        /// Host and port, for example `127.0.0.1:9464`.
        case address
        /// One of the words.
        case word([String])
        /// Any of the words, separated by commas, or `all`.
        case words([String])
        /// Hosts that events may be posted to, separated by commas.
        case webhookHosts
        /// IP addresses and networks, separated by commas.
        case networks

        /// Whether a YAML list may stand there.
        var isList: Bool {
            switch self {
            case .words, .webhookHosts, .networks: true
            default: false
            }
        }
    }

    init(_ name: String, _ kind: Kind, _ fallback: String?, hot: Bool = false, _ documentation: String) {
        self.name = name
        self.kind = kind
        self.fallback = fallback
        self.documentation = documentation
        isHot = hot
    }

    /// The environment variable, for example `FANFARE_AMQP_URL`.
    public var environment: String {
        "FANFARE_" + name.uppercased().map { $0 == "." ? "_" : String($0) }.joined()
    }

    /// Whether a value may carry a password; then `FANFARE_…_FILE` names a file that holds it.
    public var isSecret: Bool {
        switch kind {
        case .brokerURL, .storeURL: true
        default: false
        }
    }

    /// The value for people: a password in it is replaced by stars.
    public func redacted(_ text: String) -> String {
        isSecret ? SecretURL.redacted(text) : text
    }
}

/// Finds the password in a URL, without believing that the URL is well formed.
enum SecretURL {
    /// The URL with `***` in the password's place.
    static func redacted(_ text: String) -> String {
        guard let range = passwordRange(text) else { return text }
        return text[..<range.lowerBound] + "***" + text[range.upperBound...]
    }

    /// Whether there is a password in it.
    static func hasPassword(_ text: String) -> Bool { passwordRange(text) != nil }

    /// The part between the first colon after `://` and the last `@` before the path.
    private static func passwordRange(_ text: String) -> Range<String.Index>? {
        guard let scheme = text.firstRange(of: "://") else { return nil }
        let rest = text[scheme.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        // A slash that nobody escaped in a password still counts as part of it: better too much hidden than too little.
        let end = authority.lastIndex(of: "@") ?? rest.lastIndex(of: "@")
        guard let end, let colon = rest[..<end].firstIndex(of: ":") else { return nil }
        let start = text.index(after: colon)
        return start < end ? start..<end : nil
    }
}
