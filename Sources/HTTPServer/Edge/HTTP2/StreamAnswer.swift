import HTTP2
import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization

/// An answer as a stream of HTTP/2 has it, without its id and its date.
struct StreamAnswer {
    /// Fields that belong to a connection of HTTP/1.1 (RFC 9113, section 8.2.2).
    private static let connectionFields: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
    ]

    let status: Int
    let body: [UInt8]
    private let fields: [HeaderField]

    init(_ answer: ReadyAnswer) {
        self.init(answer.status, answer.headers, Array(answer.body.readableBytesView))
    }

    init(_ response: Response, body: [UInt8]) {
        self.init(response.status, response.headers, body)
    }

    private init(_ status: HTTPResponse.Status, _ headers: HTTPFields, _ body: [UInt8]) {
        self.status = status.code
        self.body = body
        fields = headers.compactMap { field in
            let name = field.name.canonicalName
            return Self.connectionFields.contains(name) ? nil : HeaderField(name, field.value)
        }
    }

    /// All fields; `id` is nil when it is among them.
    func fields(id: String?, date: String) -> [HeaderField] {
        var all = fields
        if let id { all.append(HeaderField("x-request-id", id, indexing: .nameOnly)) }
        all.append(HeaderField("date", date))
        return all
    }
}

/// Gathers an answer's body.
final class StreamBody: ResponseBodyWriter {
    private let gathered = Mutex<[UInt8]>([])

    var bytes: [UInt8] { gathered.withLock { $0 } }

    func write(_ buffer: ByteBuffer) async throws {
        gathered.withLock { $0 += buffer.readableBytesView }
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
