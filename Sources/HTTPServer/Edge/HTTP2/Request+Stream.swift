import HTTP2
import HTTPTypes
import HummingbirdCore
import NIOCore

extension Request {
    /// A request of HTTP/2; nil when a field is none of HTTP's, which nghttp2 lets nearly nobody send, or it names two hosts.
    init?(_ request: borrowing IncomingRequest) {
        guard request.isForOneHost(), let method = request.text(":method").flatMap({ HTTPRequest.Method($0) }) else {
            return nil
        }
        var fields = HTTPFields()
        var isGood = true
        request.forEachField { name, value in
            guard name.first != UInt8(ascii: ":") else { return }
            guard let field = HTTPField.Name(String(decoding: name, as: UTF8.self)) else { return isGood = false }
            fields.append(HTTPField(name: field, value: String(decoding: value, as: UTF8.self)))
        }
        guard isGood else { return nil }
        let head = HTTPRequest(
            method: method,
            scheme: request.text(":scheme"),
            authority: request.text(":authority"),
            path: request.text(":path"),
            headerFields: fields
        )
        self.init(head: head, body: RequestBody(buffer: ByteBuffer(bytes: request.body)))
    }
}

extension IncomingRequest {
    /// Whether it says one host and no other (RFC 9113, section 8.3.1): what stands in front may have judged by either.
    borrowing func isForOneHost() -> Bool {
        switch count(of: "host") {
        case 0: true
        case 1: text(":authority").map { authority in text("host") == authority } ?? true
        default: false
        }
    }

    /// The value of the first field with a name, as text.
    fileprivate borrowing func text(_ name: StaticString) -> String? {
        withValue(of: name) { String(decoding: $0, as: UTF8.self) }
    }
}
