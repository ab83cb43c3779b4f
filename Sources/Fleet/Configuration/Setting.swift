/// A key with the value that takes effect, and its origin.
public struct Setting: Sendable {
    /// The key.
    public let key: ConfigurationKey
    /// The value as text; nil is "none".
    public let text: String?
    /// The layer that the value came from.
    public let origin: Origin
    /// The file with its line, the variable, the flag, or `default`.
    public let place: String

    /// The layers, strongest first.
    public enum Origin: String, Sendable {
        case flag, environment, file
        /// The catalogue's own value.
        case fallback = "default"
    }

    /// The value for people, without a password.
    public var redactedText: String? { text.map(key.redacted) }
}

/// Paths as text.
enum PathText {
    /// Returns a path that does not depend on the working directory; `~` is not expanded, the shell does that.
    static func absolute(_ path: String, from folder: String) -> String {
        if path.hasPrefix("/") { return path }
        let plain = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        return folder.hasSuffix("/") ? folder + plain : "\(folder)/\(plain)"
    }

    /// Returns the folder of a file.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
