/// The error for a fault that cannot be set, with its fix.
public struct FaultsError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The error, its location and its fix.
    public let message: String

    /// The message.
    public var description: String { message }
}

extension Faults {
    /// The names that `set` accepts, with the form of their values.
    public static let catalogue: [(name: String, value: String)] = fields.map { ($0.name, $0.value) }

    /// Sets one fault by its name: `set("dead", to: "0.02")`.
    ///
    /// Both the command line's flags and both forms of `POST /faults` use this.
    public mutating func set(_ name: String, to value: String) throws(FaultsError) {
        guard let field = Self.fields.first(where: { $0.name == name }) else {
            let names = Self.fields.map(\.name).joined(separator: ", ")
            throw FaultsError(message: "there is no fault \"\(name)\"; the names are \(names)")
        }
        var changed = self
        guard field.set(&changed, value) else {
            throw FaultsError(message: "\(name) cannot be \"\(value)\"; it takes \(field.value)")
        }
        guard changed.shareOfTokens <= 1 + 1e-9 else {
            throw FaultsError(message: "with \(name) \(value) the shares of tokens add up to more than 1")
        }
        self = changed
    }

    /// The faults as `name: value` JSON, in which every value is a string that `set` accepts.
    public var json: String {
        let members = Self.fields.map { "\(JSONNode.quoted($0.name)):\(JSONNode.quoted($0.get(self)))" }
        return "{\(members.joined(separator: ","))}"
    }

    private struct Field: Sendable {
        let name: String
        let value: String
        let get: @Sendable (Faults) -> String
        let set: @Sendable (inout Faults, String) -> Bool
    }

    private static let fields: [Field] =
        [
            Field(
                name: "latency",
                value: "milliseconds, or a range such as 20-80",
                get: { "\($0.latencyMilliseconds.lowerBound)-\($0.latencyMilliseconds.upperBound)" },
                set: { faults, text in
                    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
                    guard ends.count <= 2, let low = ends.first ?? nil, let high = ends.last ?? nil, low >= 0,
                        low <= high, high <= 3_600_000
                    else { return false }
                    faults.latencyMilliseconds = low...high
                    return true
                }
            ),
            share("dead", \.dead), share("expired", \.expired), share("once_503", \.unavailableOnce),
            share("unavailable", \.unavailable), share("once_429", \.throttledOnce),
            share("internal_error", \.internalError), share("bad_token", \.badToken),
            share("not_for_topic", \.notForTopic), text("retry_after", \.retryAfter),
            number("dead_since", \.deadSinceSeconds), share("refuse", \.refuse), share("reset", \.reset),
            share("stall", \.stall),
            flag("storm", \.isStorm), flag("mute", \.isMute), flag("goaway_graceful", \.isGoAwayGraceful),
            number("silent_after", \.silentAfter), number("settings_delay", \.settingsDelayMilliseconds),
            number("goaway_every", \.goAwayEvery),
            text("goaway_reason", \.goAwayReason), number("drop_every", \.dropEvery), number("streams", \.streams),
            Field(
                name: "stream_limits",
                value: "numbers with commas, or nothing",
                get: { $0.streamLimits.map(String.init).joined(separator: ",") },
                set: { faults, text in
                    let parts = text.split(separator: ",", omittingEmptySubsequences: true)
                    let limits = parts.compactMap { Int($0) }.filter { (0...1_000_000).contains($0) }
                    guard limits.count == parts.count else { return false }
                    faults.streamLimits = limits
                    return true
                }
            ),
            number("stream_limits_every", \.streamLimitsEvery, least: 1),
            number("stream_limit_ms", \.streamLimitMilliseconds, least: 1),
            number("clock_offset", \.clockOffsetSeconds, least: -1_000_000),
            number("access_token_seconds", \.accessTokenSeconds, least: 1),
            Field(
                name: "oauth_error",
                value: "nothing, or one of " + OAuthError.allCases.map(\.rawValue).joined(separator: ", "),
                get: { $0.oauthError },
                set: { faults, text in
                    guard text.isEmpty || OAuthError(rawValue: text) != nil else { return false }
                    faults.oauthError = text
                    return true
                }
            ),
            number("project_quota", \.projectQuota), text("quota_retry_after", \.quotaRetryAfter),
            Field(
                name: "rules",
                value: "prefix=behaviour with commas, the behaviours being "
                    + Behaviour.words.map(\.word).joined(separator: ", ") + ", a reason of Apple's, an error of FCM's ("
                    + FCMError.allCases.map(\.rawValue).joined(separator: ", ") + "), one of Web Push's ("
                    + WebPushError.allCases.map(\.rawValue).joined(separator: ", ") + "), "
                    + MalformedAnswer.allCases.map(\.rawValue).joined(separator: ", "),
                get: { $0.rules.map { "\($0.prefix)=\($0.behaviour.word)" }.joined(separator: ",") },
                set: { faults, text in
                    let parts = text.split(separator: ",")
                    let rules = parts.compactMap { Rule(text: $0) }
                    guard rules.count == parts.count else { return false }
                    faults.rules = rules
                    return true
                }
            ),
        ]

    /// A field that keeps what `read` makes of a text.
    private static func field<Value>(
        _ name: String,
        _ path: any WritableKeyPath<Faults, Value> & Sendable,
        value: String,
        read: @escaping @Sendable (String) -> Value?
    ) -> Field {
        Field(
            name: name,
            value: value,
            get: { "\($0[keyPath: path])" },
            set: { faults, text in
                guard let value = read(text) else { return false }
                faults[keyPath: path] = value
                return true
            }
        )
    }

    private static func flag(_ name: String, _ path: any WritableKeyPath<Faults, Bool> & Sendable) -> Field {
        field(name, path, value: "true or false") { Bool($0) }
    }

    /// A field whose value is text that may stand in a header field.
    private static func text(_ name: String, _ path: any WritableKeyPath<Faults, String> & Sendable) -> Field {
        field(name, path, value: "at most 64 printable ASCII characters") { text in
            text.utf8.count <= 64 && text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } ? text : nil
        }
    }

    private static func share(_ name: String, _ path: any WritableKeyPath<Faults, Double> & Sendable) -> Field {
        field(name, path, value: "a share from 0 to 1") { Double($0).flatMap { (0...1).contains($0) ? $0 : nil } }
    }

    private static func number(
        _ name: String,
        _ path: any WritableKeyPath<Faults, Int> & Sendable,
        least: Int = 0
    ) -> Field {
        field(name, path, value: "a whole number from \(least)") {
            Int($0).flatMap { $0 >= least && $0 <= 1_000_000_000 ? $0 : nil }
        }
    }
}

extension Faults.Rule {
    /// Parses `prefix=behaviour`.
    fileprivate init?(text: Substring) {
        let parts = text.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let behaviour = Behaviour(word: String(parts[1])) else { return nil }
        self.init(prefix: String(parts[0]), behaviour: behaviour)
    }
}
