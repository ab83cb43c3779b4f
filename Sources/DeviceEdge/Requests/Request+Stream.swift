import HTTP2
import HTTPTypes
import HummingbirdCore
import NIOCore

extension Request {
    /// Makes a request; nil for two hosts, or for a field that HTTP does not allow, of which nghttp2 passes hardly any.
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
    /// Returns true for exactly one host (RFC 9113, section 8.3.1): a proxy may have judged by either field.
    borrowing func isForOneHost() -> Bool {
        switch count(of: "host") {
        case 0: true
        case 1: text(":authority").map { authority in text("host") == authority } ?? true
        default: false
        }
    }

    /// Returns the value of the first field with a name, as text.
    fileprivate borrowing func text(_ name: StaticString) -> String? {
        withValue(of: name) { String(decoding: $0, as: UTF8.self) }
    }
}
