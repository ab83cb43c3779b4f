/// The tokens that this device has for Live Activities, as the server is told them: all at once, so that it forgets
/// those that are gone.
struct ActivityFacts: Codable, Sendable, Equatable {
    /// A token with its name.
    struct Token: Codable, Sendable, Equatable {
        /// The name of the app's type of attributes.
        var type: String
        /// The app's id of what the activity shows; nil for the token that starts activities of the type.
        var id: String?
        /// The token in hexadecimal digits.
        var token: String
    }

    /// The most tokens that the server takes; the newest are kept.
    static let most = 32

    /// The tokens, the newest last.
    private(set) var tokens: [Token] = []

    /// Sets the token of an activity, or the one that starts activities if `id` is nil.
    mutating func set(_ token: String, type: String, id: String?) {
        guard !tokens.contains(Token(type: type, id: id, token: token)) else { return }
        remove(type: type, id: id)
        tokens.append(Token(type: type, id: id, token: token))
        if tokens.count > Self.most { tokens.removeFirst(tokens.count - Self.most) }
    }

    /// Removes the token of an activity.
    mutating func remove(type: String, id: String?) {
        tokens.removeAll { $0.type == type && $0.id == id }
    }

    /// Removes the tokens of all activities of a type that do not run any more; the one that starts some stays.
    mutating func keep(type: String, running: Set<String>) {
        tokens.removeAll { token in token.type == type && token.id.map { !running.contains($0) } == true }
    }

    /// The tokens as a registration has them.
    var json: JSON {
        .array(
            tokens.map { token in
                var members: [String: JSON] = ["type": .string(token.type), "token": .string(token.token)]
                members["id"] = token.id.map(JSON.string)
                return .object(members)
            }
        )
    }
}
