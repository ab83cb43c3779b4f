import Campaigns

extension JSONPointer {
    /// Returns true if a text has the form of RFC 6901: empty, or parts after slashes in which `~` is `~0` or `~1`.
    static func isWellFormed(_ text: String) -> Bool {
        var bytes = text.utf8.makeIterator()
        guard let first = bytes.next() else { return true }
        guard first == UInt8(ascii: "/") else { return false }
        while let byte = bytes.next() {
            guard byte == UInt8(ascii: "~") else { continue }
            guard let code = bytes.next(), code == UInt8(ascii: "0") || code == UInt8(ascii: "1") else { return false }
        }
        return true
    }
}
