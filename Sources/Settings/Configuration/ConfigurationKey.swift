/// A key of the configuration: its name, the values it allows and its default.
package struct ConfigurationKey: Sendable {
    /// The name in the YAML file and in messages, for example `amqp.url`.
    package let name: String
    /// The kind of value that it allows.
    package let kind: Kind
    /// The value as text when no layer sets one; nil is "none".
    package let fallback: String?
    /// The meaning of the key, in one line.
    package let documentation: String
    /// True if a running worker takes a new value on SIGHUP.
    package let isHot: Bool

    /// The kinds of values, each with its own check.
    package enum Kind: Sendable {
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

        /// True if the value may be a YAML list.
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
    package var environment: String {
        "FANFARE_" + name.uppercased().map { $0 == "." ? "_" : String($0) }.joined()
    }

    /// True if a value may carry a password; then `FANFARE_…_FILE` names a file that holds it.
    package var isSecret: Bool {
        switch kind {
        case .brokerURL, .storeURL: true
        default: false
        }
    }

    /// Returns the value for people: stars replace a password in it.
    package func redacted(_ text: String) -> String {
        isSecret ? SecretURL.redacted(text) : text
    }

    /// Returns the password in a value; nil if there is none.
    func password(in text: String) -> String? {
        isSecret ? SecretURL.passwordRange(text).map { String(text[$0]) } : nil
    }
}

/// Finds the password in a URL that may be malformed.
enum SecretURL {
    /// Returns the URL with `***` in place of the password.
    static func redacted(_ text: String) -> String {
        guard let range = passwordRange(text) else { return text }
        return text[..<range.lowerBound] + "***" + text[range.upperBound...]
    }

    /// Finds the part between the first colon after `://` and the last `@` before the path.
    static func passwordRange(_ text: String) -> Range<String.Index>? {
        guard let scheme = text.firstRange(of: "://") else { return nil }
        let rest = text[scheme.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        // An unescaped slash in a password counts as part of it: better to hide too much than too little.
        let end = authority.lastIndex(of: "@") ?? rest.lastIndex(of: "@")
        guard let end, let colon = rest[..<end].firstIndex(of: ":") else { return nil }
        let start = text.index(after: colon)
        return start < end ? start..<end : nil
    }
}
