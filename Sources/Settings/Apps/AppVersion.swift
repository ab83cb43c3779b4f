import TLS

/// The version of an app's entry in the apps file: equal on two hosts if the entry and the files that it names are.
enum AppVersion {
    /// The number of hexadecimal digits: enough to tell the few versions that a fleet has at a time.
    private static let digits = 8

    /// Returns the version of an entry; `digests` has those of the files that were read for it, by their names there.
    ///
    /// A file counts by its content, because hosts may keep it in different folders.
    static func of(_ entries: [YAMLTree.Entry], digests: [String: [UInt8]]) -> String {
        var text = ""
        write(.mapping(entries), digests, to: &text)
        let bytes = SHA256.digest(Array(text.utf8)).prefix(digits / 2)
        return bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    /// Writes a value so that two values have one text only if they are the same, whatever the order of their fields.
    private static func write(_ value: YAMLTree.Value, _ digests: [String: [UInt8]], to text: inout String) {
        switch value {
        case .null: text += "~"
        case .text(let scalar):
            let content = digests[scalar].map { "file \($0)" } ?? scalar
            text += "\(content.utf8.count):\(content)"
        case .sequence(let elements):
            text += "["
            for element in elements { write(element.value, digests, to: &text) }
            text += "]"
        case .mapping(let entries):
            text += "{"
            for entry in entries.sorted(by: { $0.key < $1.key }) {
                write(.text(entry.key), [:], to: &text)
                write(entry.value.value, digests, to: &text)
            }
            text += "}"
        }
    }
}
