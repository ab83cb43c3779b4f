import Campaigns
package import HTTPTypes
import HummingbirdCore
package import NIOCore
package import Store

/// Answers with a stored content as RFC 9110 describes: entity tags, ranges, HEAD.
package enum ContentAnswer {
    /// Fields that keep a page from acting on the origin that serves it, and a text from being taken for a page.
    private static let safety: HTTPFields = [
        .xContentTypeOptions: "nosniff",
        .contentSecurityPolicy:
            "default-src 'none'; img-src https: data:; media-src https:; style-src 'unsafe-inline'; "
            + "font-src https: data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
    ]

    /// Returns the answer to a request for a content; for HEAD, the writer leaves out the body.
    package static func make(_ content: StoredContent, for request: HTTPFields) -> HTTPAnswer {
        make(content, ByteBuffer(bytes: content.bytes), for: request)
    }

    /// Returns the answer with a content whose bytes are elsewhere, without copying them.
    package static func make(
        _ content: StoredContent,
        _ bytes: ByteBuffer,
        for request: HTTPFields
    ) -> HTTPAnswer {
        if let answer = unchanged(content, for: request) { return answer }
        var fields = fields(content)
        let tag = fields[.eTag]
        fields[.contentType] = content.contentType.field
        // A range of other bytes than those the phone already has is useless to it (RFC 9110, section 13.1.5).
        let isSame = request[.ifRange].map { $0 == tag } ?? true
        switch ByteRange(isSame ? request[.range] : nil, of: bytes.readableBytes) {
        case .whole: return answer(.ok, fields, bytes)
        case .part(let range):
            fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.readableBytes)"
            let part = bytes.getSlice(at: bytes.readerIndex + range.lowerBound, length: range.count)
            return answer(.partialContent, fields, part ?? ByteBuffer())
        case .unsatisfiable:
            fields[.contentType] = nil
            fields[.contentRange] = "bytes */\(bytes.readableBytes)"
            return HTTPAnswer(.rangeNotSatisfiable, headers: fields)
        }
    }

    /// Returns 304 for a phone that has these bytes already; otherwise nil.
    ///
    /// Does not need the content's bytes.
    package static func unchanged(_ content: StoredContent, for request: HTTPFields) -> HTTPAnswer? {
        let fields = fields(content)
        guard let tag = fields[.eTag], EntityTags.names(request[.ifNoneMatch], tag) else { return nil }
        return HTTPAnswer(.notModified, headers: fields)
    }

    private static func fields(_ content: StoredContent) -> HTTPFields {
        var fields = safety
        fields[.eTag] = "\"\(content.version)\""
        // No cache on the way may keep it, since access depends on a credential. An upload may be replaced, so the
        // phone revalidates each time.
        fields[.cacheControl] = "private, no-cache"
        fields[.acceptRanges] = "bytes"
        return fields
    }

    private static func answer(
        _ status: HTTPResponse.Status,
        _ fields: HTTPFields,
        _ bytes: ByteBuffer
    ) -> HTTPAnswer {
        HTTPAnswer(status, headers: fields, body: ResponseBody(byteBuffer: bytes))
    }
}
