import Campaigns
package import HTTPTypes
package import HummingbirdCore
import NIOCore
import TLS

/// A file that is compiled in: the program is one file, and nothing of it can be changed beside it.
package struct StaticFile: Sendable {
    package let name: String
    /// Its media type.
    package let type: String
    package let bytes: [UInt8]
    /// A strong entity tag (RFC 9110, section 8.8.3): the same for the same bytes.
    private let tag: String

    /// The media type of scripts.
    package static let script = "text/javascript; charset=utf-8"

    /// Makes a file of its bytes.
    package init(_ name: String, _ type: String, _ bytes: [UInt8]) {
        self.name = name
        self.type = type
        self.bytes = bytes
        tag = "\"\(Hexadecimal.text(SHA256.digest(bytes).prefix(12)))\""
    }

    /// Returns the file, or 304 when the browser has it already (RFC 9110, section 13.1.2).
    package func answer(to request: Request, with fields: HTTPFields) -> HTTPAnswer {
        var headers = fields
        headers[.contentType] = type
        headers[.eTag] = tag
        if EntityTags.names(request.headers[.ifNoneMatch], tag) { return HTTPAnswer(.notModified, headers: headers) }
        return HTTPAnswer(headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
