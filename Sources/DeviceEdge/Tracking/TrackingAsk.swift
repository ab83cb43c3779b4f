import HTTP2
import HTTPTypes
import HummingbirdCore
import NIOCore
import Settings
import WebServing

/// A tracking request in its usual form; requests in any other form go to the responder, as do those of browsers, whose
/// answers have fields of their own.
struct TrackingAsk {
    private static let type = "application/json"
    private static let scheme = "Bearer "

    /// The request's id, the client's own or a generated one.
    let id: String
    let body: [UInt8]
    /// The sender: SHA-256 of the secret.
    let secretHash: [UInt8]
    let began = ContinuousClock.now
    private let authorization: [UInt8]

    /// Reads a complete request of HTTP/1.1; nil when its form is not the usual one.
    init?(_ head: HTTPRequest, _ body: ByteBuffer) {
        let fields = head.headerFields
        guard head.method == .post, head.path == TrackingRoutes.path, fields[.contentType] == Self.type,
            fields.reduce(0, { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count }) <= EdgeResponder.headerBytesMax,
            fields[.origin] == nil, let authorization = fields[.authorization]
        else { return nil }
        self.init(RequestID.id(of: fields), Array(authorization.utf8), Array(body.readableBytesView))
    }

    /// Reads a request of HTTP/2.
    init?(_ request: borrowing IncomingRequest) {
        guard request.has(":method", "POST"), request.has(":path", TrackingRoutes.path),
            request.has("content-type", Self.type), request.isForOneHost(),
            request.headerBytes <= EdgeResponder.headerBytesMax,
            request.value(of: "origin") == nil, let authorization = request.value(of: "authorization")
        else { return nil }
        let given = request.value(of: "x-request-id").map { String(decoding: $0, as: UTF8.self) }
        self.init(RequestID.id(given: given), authorization, request.body)
    }

    private init?(_ id: String, _ authorization: [UInt8], _ body: [UInt8]) {
        // One word after `Bearer` (RFC 6750, section 2.1).
        let secret = authorization.dropFirst(Self.scheme.utf8.count)
        guard authorization.starts(with: Self.scheme.utf8), !secret.isEmpty, !secret.contains(UInt8(ascii: " "))
        else { return nil }
        secretHash = secret.withUnsafeBytes(EdgeSecret.hash)
        self.id = id
        self.body = body
        self.authorization = authorization
    }

    /// Returns the request's facts for the log.
    func line(_ peer: String) -> EdgeResponder.Line {
        EdgeResponder.Line(method: "POST", path: TrackingRoutes.path, peer: peer, request: id)
    }

    /// The same request for the responder, with every field that tracking needs.
    var request: Request {
        var fields: HTTPFields = [
            .contentType: Self.type, .authorization: String(decoding: authorization, as: UTF8.self),
        ]
        RequestID.set(id, in: &fields)
        let head = HTTPRequest(
            method: .post,
            scheme: nil,
            authority: nil,
            path: TrackingRoutes.path,
            headerFields: fields
        )
        return Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body)))
    }
}
