/// One request of a client while it is received and answered.
///
/// Reused with its memory for later streams.
///
/// Is nghttp2's stream user data while the stream is open; the session holds the only other reference.
final class ServerStream {
    var streamID: Int32 = 0
    /// Names and values of all header fields, one after the other.
    var fieldBytes: [UInt8] = []
    var fields: [Field] = []
    var body: [UInt8] = []
    var isTruncated = false
    /// END_STREAM came and the request is in the list of complete ones.
    var isListed = false
    var isClosed = false
    var answerBody: [UInt8] = []
    var answerSent = 0

    struct Field {
        let name: Range<Int>
        let value: Range<Int>
    }

    func reset(streamID: Int32) {
        self.streamID = streamID
        self.fieldBytes.removeAll(keepingCapacity: true)
        self.fields.removeAll(keepingCapacity: true)
        self.body.removeAll(keepingCapacity: true)
        self.answerBody.removeAll(keepingCapacity: true)
        self.isTruncated = false
        self.isListed = false
        self.isClosed = false
        self.answerSent = 0
    }

    func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        let start = self.fieldBytes.count
        self.fieldBytes.append(contentsOf: name)
        self.fieldBytes.append(contentsOf: value)
        let middle = start + name.count
        self.fields.append(Field(name: start..<middle, value: middle..<(middle + value.count)))
    }

    func appendBody(_ bytes: UnsafeRawBufferPointer, bytesMax: Int) {
        let count = min(bytes.count, bytesMax - self.body.count)
        if count < bytes.count { self.isTruncated = true }
        if count > 0 { self.body.append(contentsOf: bytes.prefix(count)) }
    }
}

/// A complete request as a server sees it.
///
/// Valid only inside the call that hands it out.
public struct IncomingRequest: ~Copyable {
    private let stream: ServerStream

    init(_ stream: ServerStream) { self.stream = stream }

    /// The stream's id: what ``HTTP2ServerSession/respond(streamID:status:fields:body:)`` wants.
    public var streamID: Int32 { self.stream.streamID }

    /// How many header fields there are, pseudo header fields included.
    public var fieldCount: Int { self.stream.fields.count }

    /// Bytes of all names and values together.
    public var headerBytes: Int { self.stream.fieldBytes.count }

    /// Whether the first field with this (lower-case) name has this value.
    public func has(_ name: StaticString, _ value: String) -> Bool {
        self.withValue(of: name) { $0.elementsEqual(value.utf8) } ?? false
    }

    /// The body up to the session's cap.
    public var body: [UInt8] { self.stream.body }

    /// The body was longer than the cap.
    public var isTruncated: Bool { self.stream.isTruncated }

    /// The value of the first field with this (lower-case) name; nil when there is none.
    ///
    /// For example `:path`.
    public func value(of name: StaticString) -> [UInt8]? {
        self.withValue(of: name) { Array($0) }
    }

    /// Runs `body` with the value's bytes, without a copy; nil when there is no such field.
    public func withValue<R>(of name: StaticString, _ body: (UnsafeRawBufferPointer) -> R) -> R? {
        let wanted = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        return self.stream.fieldBytes.withUnsafeBytes { bytes -> R? in
            for field in self.stream.fields where field.name.count == wanted.count {
                guard bytes[field.name].elementsEqual(wanted) else { continue }
                return body(UnsafeRawBufferPointer(rebasing: bytes[field.value]))
            }
            return nil
        }
    }

    /// Runs `body` with the request body's bytes, without a copy.
    public func withBody<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        self.stream.body.withUnsafeBytes { body($0) }
    }

    /// Name and value of every field in the order in which they came.
    public func forEachField(_ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void) {
        self.stream.fieldBytes.withUnsafeBytes { bytes in
            for field in self.stream.fields {
                visit(
                    UnsafeRawBufferPointer(rebasing: bytes[field.name]),
                    UnsafeRawBufferPointer(rebasing: bytes[field.value])
                )
            }
        }
    }
}
