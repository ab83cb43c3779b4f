/// One request of a client while it is received and answered.
///
/// Reused with its memory for later streams. While the stream is open it is nghttp2's stream user data, and the session
/// holds the only other reference.
final class ServerStream {
    var streamID: Int32 = 0
    /// The names and values of all header fields, concatenated.
    var fieldBytes: [UInt8] = []
    var fields: [Field] = []
    var body: [UInt8] = []
    var isTruncated = false
    /// True if END_STREAM came and the request is in the list of complete ones.
    var isListed = false
    /// True if the caller rejected the request by its header fields and does not want the rest.
    var isRefused = false
    /// True if END_STREAM came.
    var hasEnded = false
    /// True if END_STREAM of the answer was sent.
    var isAnswered = false
    /// The bytes of an unwanted body that came.
    var unwantedBytes = 0
    var isClosed = false
    /// The answer's body, read as the client accepts it.
    var answer: (any AnswerBytes)?
    var answerSent = 0
    /// The time at which the request began, later that of its answer, by the driver's clock.
    var since: Int64 = 0

    /// The stream's memory in bytes, used or not.
    var heldBytes: Int { Self.ownBytes + fieldBytes.capacity + fields.capacity * 32 + body.capacity }

    /// Bytes of an answer that are not sent yet.
    var unsentBytes: Int { (answer?.count ?? 0) - answerSent }

    /// The size of the object itself and its entries in the session's tables.
    private static let ownBytes = 320

    struct Field {
        let name: Range<Int>
        let value: Range<Int>
    }

    func reset(streamID: Int32) {
        self.streamID = streamID
        fieldBytes.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
        body.removeAll(keepingCapacity: true)
        answer = nil
        isTruncated = false
        isListed = false
        isRefused = false
        hasEnded = false
        isAnswered = false
        unwantedBytes = 0
        isClosed = false
        answerSent = 0
    }

    /// Frees the memory that an unusually large request has taken.
    func shrink() {
        if fieldBytes.capacity > Self.keptMax { fieldBytes = [] }
        if fields.capacity * 32 > Self.keptMax { fields = [] }
        if body.capacity > Self.keptMax { body = [] }
    }

    /// The bytes of each of a stream's arrays that are kept for its next request.
    private static let keptMax = 4096

    func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        let start = fieldBytes.count
        fieldBytes.append(contentsOf: name)
        fieldBytes.append(contentsOf: value)
        let middle = start + name.count
        fields.append(Field(name: start..<middle, value: middle..<(middle + value.count)))
    }

    func appendBody(_ bytes: UnsafeRawBufferPointer, bytesMax: Int) {
        let count = min(bytes.count, bytesMax - body.count)
        if count < bytes.count { isTruncated = true }
        if count > 0 { body.append(contentsOf: bytes.prefix(count)) }
    }
}

/// A complete request as a server sees it.
///
/// Valid only inside the call that hands it out.
public struct IncomingRequest: ~Copyable {
    private let stream: ServerStream

    init(_ stream: ServerStream) { self.stream = stream }

    /// The stream's id, for ``HTTP2ServerSession/respond(streamID:status:fields:body:)``.
    public var streamID: Int32 { stream.streamID }

    /// The number of header fields, pseudo-header fields included.
    public var fieldCount: Int { stream.fields.count }

    /// The bytes of all names and values together.
    public var headerBytes: Int { stream.fieldBytes.count }

    /// Returns true if the first field with this (lower-case) name has this value.
    public func has(_ name: StaticString, _ value: String) -> Bool {
        withValue(of: name) { $0.elementsEqual(value.utf8) } ?? false
    }

    /// The body up to the session's cap.
    public var body: [UInt8] { stream.body }

    /// True if all of it has come; false in ``HTTP2ServerSession/takeHeads(_:)`` for a request with a body.
    public var isWhole: Bool { stream.hasEnded }

    /// The memory that the request takes until it is answered, in bytes.
    public var heldBytes: Int { stream.heldBytes }

    /// True if the body was longer than the cap.
    public var isTruncated: Bool { stream.isTruncated }

    /// Returns the number of fields with this (lower-case) name.
    public func count(of name: StaticString) -> Int {
        let wanted = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        return stream.fieldBytes.withUnsafeBytes { bytes in
            stream.fields.count { $0.name.count == wanted.count && bytes[$0.name].elementsEqual(wanted) }
        }
    }

    /// Returns the value of the first field with this (lower-case) name, for example `:path`; nil when there is none.
    public func value(of name: StaticString) -> [UInt8]? {
        withValue(of: name) { Array($0) }
    }

    /// Runs `body` with the value's bytes, without a copy; returns nil when there is no such field.
    public func withValue<R>(of name: StaticString, _ body: (UnsafeRawBufferPointer) -> R) -> R? {
        let wanted = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        return stream.fieldBytes.withUnsafeBytes { bytes -> R? in
            for field in stream.fields where field.name.count == wanted.count {
                guard bytes[field.name].elementsEqual(wanted) else { continue }
                return body(UnsafeRawBufferPointer(rebasing: bytes[field.value]))
            }
            return nil
        }
    }

    /// Runs `body` with the request body's bytes, without a copy.
    public func withBody<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        stream.body.withUnsafeBytes { body($0) }
    }

    /// Visits name and value of every field in the order of arrival.
    public func forEachField(_ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void) {
        stream.fieldBytes.withUnsafeBytes { bytes in
            for field in stream.fields {
                visit(
                    UnsafeRawBufferPointer(rebasing: bytes[field.name]),
                    UnsafeRawBufferPointer(rebasing: bytes[field.value])
                )
            }
        }
    }
}
