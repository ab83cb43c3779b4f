import HTTP2
import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization

/// An answer in the form of an HTTP/2 stream, without its id and its date.
struct StreamAnswer {
    /// Fields of HTTP/1.1 connections (RFC 9113, section 8.2.2).
    private static let connectionFields: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
    ]

    let status: Int
    let body: ByteBuffer
    /// Keeps the bytes of a shared body alive.
    let owner: (any AnyObject & Sendable)?
    private let fields: [HeaderField]

    init(_ answer: ReadyAnswer) {
        self.init(answer.status, answer.headers, answer.body, nil)
    }

    init(_ response: Response, body: ByteBuffer, owner: (any AnyObject & Sendable)?) {
        self.init(response.status, response.headers, body, owner)
    }

    private init(
        _ status: HTTPResponse.Status,
        _ headers: HTTPFields,
        _ body: ByteBuffer,
        _ owner: (any AnyObject & Sendable)?
    ) {
        self.status = status.code
        self.body = body
        self.owner = owner
        fields = headers.compactMap { field in
            let name = field.name.canonicalName
            return Self.connectionFields.contains(name) ? nil : HeaderField(name, field.value)
        }
    }

    /// Returns all fields; `id` is nil when they include it already.
    func fields(id: String?, date: String) -> [HeaderField] {
        var all = fields
        if let id { all.append(HeaderField("x-request-id", id, indexing: .nameOnly)) }
        all.append(HeaderField("date", date))
        return all
    }
}

/// An answer's bytes in memory, without a copy for the stream.
final class BufferBytes: AnswerBytes {
    private let bytes: ByteBuffer
    private let owner: (any AnyObject & Sendable)?

    init(_ bytes: ByteBuffer, _ owner: (any AnyObject & Sendable)?) { (self.bytes, self.owner) = (bytes, owner) }

    var count: Int { bytes.readableBytes }
    var isShared: Bool { owner != nil }

    func copy(from start: Int, into buffer: UnsafeMutableRawBufferPointer) {
        bytes.withUnsafeReadableBytes { bytes in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + buffer.count]))
        }
    }
}

/// Collects an answer's body; a body of one piece is not copied.
final class StreamBody: ResponseBodyWriter {
    private let gathered = Mutex(ByteBuffer())

    var bytes: ByteBuffer { gathered.withLock { $0 } }

    func write(_ buffer: ByteBuffer) async throws {
        gathered.withLock { gathered in
            if gathered.readableBytes == 0 {
                gathered = buffer
            } else {
                gathered.writeImmutableBuffer(buffer)
            }
        }
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
