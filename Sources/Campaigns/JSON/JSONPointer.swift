/// A JSON pointer (RFC 6901), extended on the way down into a document.
public struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
    /// The pointer as text; `""` is the whole document.
    public let text: String

    /// The whole document.
    public static let root = JSONPointer(text: "")

    /// Wraps a text that is known to be well formed.
    public init(text: String) {
        self.text = text
    }

    /// Returns the pointer to the member of that name.
    public func appending(_ name: String) -> JSONPointer {
        JSONPointer(text: text + "/" + JSONPointer.escaped(name))
    }

    /// Returns the pointer to the element at that index.
    public func appending(_ index: Int) -> JSONPointer {
        JSONPointer(text: text + "/" + String(index))
    }

    /// The pointer as text.
    public var description: String { text }

    private static func escaped(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return name }
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "~": escaped += "~0"
            case "/": escaped += "~1"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
