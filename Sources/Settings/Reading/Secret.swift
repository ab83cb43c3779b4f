/// Bytes that no log, message or debugger summary prints.
package struct Secret: Sendable, CustomStringConvertible, CustomReflectable {
    /// The bytes.
    package let bytes: [UInt8]
    /// The file that they came from, for messages.
    package let source: String

    /// Creates a secret from the bytes of a file.
    package init(_ bytes: [UInt8], source: String) {
        self.bytes = bytes
        self.source = source
    }

    /// The file that they came from; never the content.
    package var description: String { "*** (\(source))" }

    /// An empty mirror, so that no dump shows the content.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
