/// Bytes that no log, message or debugger summary prints.
public struct Secret: Sendable, CustomStringConvertible, CustomReflectable {
    /// The bytes.
    public let bytes: [UInt8]
    /// The file that they came from, for messages.
    public let source: String

    /// Creates a secret from the bytes of a file.
    public init(_ bytes: [UInt8], source: String) {
        self.bytes = bytes
        self.source = source
    }

    /// The file that they came from; never the content.
    public var description: String { "*** (\(source))" }

    /// An empty mirror, so that no dump shows the content.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
