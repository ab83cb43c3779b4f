import HTTP2

/// A client and a server session, connected by hand.
final class HTTP2Pair {
    let client: HTTP2ClientSession
    let server: HTTP2ServerSession
    var ends: [End] = []
    var requests: [Int32] = []

    /// The parts of a `StreamEnd` that a test keeps.
    struct End: Equatable {
        var tag: UInt64
        var kind: StreamEnd.Kind
        var status: UInt16
        var retryAfter = ""
        var body = ""
    }

    init(
        client: HTTP2ClientSession.Configuration = .init(),
        server: HTTP2ServerSession.Configuration = .init()
    ) throws {
        self.client = try HTTP2ClientSession(configuration: client)
        self.server = try HTTP2ServerSession(configuration: server)
    }

    /// Carries bytes until both are silent, and collects ends and requests.
    func pump(chunk: Int = 100_000) throws {
        var isMoving = true
        while isMoving {
            let up = try self.carryUp(chunk: chunk)
            let down = try self.carryDown(chunk: chunk)
            isMoving = up + down > 0
        }
    }

    @discardableResult
    func carryUp(chunk: Int = 100_000) throws -> Int {
        let bytes = HTTP2Pair.output { self.client.drain(into: $0, threshold: 15_000) }
        for piece in HTTP2Pair.pieces(bytes, chunk) { try piece.withUnsafeBytes { try self.server.receive($0) } }
        self.server.takeRequests { self.requests.append($0.streamID) }
        return bytes.count
    }

    @discardableResult
    func carryDown(chunk: Int = 100_000) throws -> Int {
        let bytes = try HTTP2Pair.output { try self.server.drain(into: $0, threshold: 15_000) }
        for piece in HTTP2Pair.pieces(bytes, chunk) { try piece.withUnsafeBytes { try self.client.receive($0) } }
        self.collectEnds()
        return bytes.count
    }

    func collectEnds() {
        self.client.takeEnded { self.ends.append(HTTP2Pair.keep($0)) }
    }

    static func keep(_ end: borrowing StreamEnd) -> End {
        End(
            tag: end.tag,
            kind: end.kind,
            status: end.status,
            retryAfter: String(decoding: end.retryAfter, as: UTF8.self),
            body: String(decoding: end.body, as: UTF8.self)
        )
    }

    static func output(_ send: (UnsafeMutableRawBufferPointer) throws -> Int) rethrows -> [UInt8] {
        var all: [UInt8] = []
        let frameBytesMax = max(HTTP2ClientSession.frameBytesMax, HTTP2ServerSession.frameBytesMax)
        var buffer = [UInt8](repeating: 0, count: 15_000 + frameBytesMax)
        while true {
            let count = try buffer.withUnsafeMutableBytes { try send($0) }
            if count == 0 { return all }
            all += buffer.prefix(count)
        }
    }

    static func pieces(_ bytes: [UInt8], _ chunk: Int) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: chunk).map { Array(bytes[$0..<min($0 + chunk, bytes.count)]) }
    }

    static let headers = PreparedHeaders(
        authority: "localhost",
        fields: [
            HeaderField("apns-topic", "com.example.news"),
            HeaderField("apns-expiration", "1790000000", indexing: .nameOnly),
            HeaderField("authorization", "bearer secret-token", indexing: .never),
        ],
        perRequestName: "apns-id"
    )

    /// Submits one request.
    func submit(tag: UInt64, body: String = "{}", path: String? = nil, at now: Int64 = 0) throws {
        let opened = try self.client.submit(now: now) { request in
            request.tag = tag
            request.setHeaders(HTTP2Pair.headers)
            HTTP2Pair.lend(path ?? "/3/device/\(tag)") { request.setPath($0) }
            HTTP2Pair.lend("id-\(tag)") { request.setPerRequestValue($0) }
            HTTP2Pair.lend(body) { request.setBody($0) }
            return true
        }
        precondition(opened)
    }

    private static func lend(_ text: String, _ body: (UnsafeRawBufferPointer) -> Void) {
        Array(text.utf8).withUnsafeBytes { body($0) }
    }
}
