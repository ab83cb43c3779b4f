/// Bytes that no log, no message and no debugger's summary prints.
public struct Secret: Sendable, CustomStringConvertible, CustomReflectable {
    /// The bytes.
    public let bytes: [UInt8]
    /// The file that they came from, for messages.
    public let source: String

    /// Keeps the bytes of a file to itself.
    public init(_ bytes: [UInt8], source: String) {
        self.bytes = bytes
        self.source = source
    }

    /// Where it came from; never the content.
    public var description: String { "*** (\(source))" }

    /// Never the content.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
