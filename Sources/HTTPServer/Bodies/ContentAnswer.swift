import Campaigns
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Store

/// Answers with a stored content as RFC 9110 has it: a tag that caches ask with, parts of it, the head alone.
enum ContentAnswer {
    /// Fields that keep a page from doing anything with the origin that serves it, and a text from being taken for one.
    private static let safety: HTTPFields = [
        .xContentTypeOptions: "nosniff",
        .contentSecurityPolicy:
            "default-src 'none'; img-src https: data:; media-src https:; style-src 'unsafe-inline'; "
            + "font-src https: data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
    ]

    /// What a request for a content is answered with; of one for the head alone whoever writes it leaves out the body.
    static func make(_ content: StoredContent, for request: HTTPFields) -> Answer {
        make(content, ByteBuffer(bytes: content.bytes), for: request)
    }

    /// The same of a copy that others may be answered with too, which is not copied.
    static func make(_ content: SharedContent, for request: HTTPFields) -> Answer {
        var answer = make(content.head, content.bytes, for: request)
        answer.shared = content
        return answer
    }

    private static func make(_ content: StoredContent, _ bytes: ByteBuffer, for request: HTTPFields) -> Answer {
        if let answer = unchanged(content, for: request) { return answer }
        var fields = fields(content)
        let tag = fields[.eTag]
        fields[.contentType] = content.contentType.field
        // A part of other bytes than the ones that it has is of no use to the phone (RFC 9110, section 13.1.5).
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
            return Answer(.rangeNotSatisfiable, headers: fields)
        }
    }

    /// The answer to a phone that has these bytes already; nil when it has not.
    ///
    /// The bytes are not needed for it.
    static func unchanged(_ content: StoredContent, for request: HTTPFields) -> Answer? {
        let fields = fields(content)
        guard let tag = fields[.eTag], EntityTags.names(request[.ifNoneMatch], tag) else { return nil }
        return Answer(.notModified, headers: fields)
    }

    private static func fields(_ content: StoredContent) -> HTTPFields {
        var fields = safety
        fields[.eTag] = "\"\(content.version)\""
        // Nobody between server and phone keeps it: who may read it, a credential says. An upload may be replaced, so
        // that the phone asks each time whether it is still the same.
        fields[.cacheControl] = "private, no-cache"
        fields[.acceptRanges] = "bytes"
        return fields
    }

    private static func answer(
        _ status: HTTPResponse.Status,
        _ fields: HTTPFields,
        _ bytes: ByteBuffer
    ) -> Answer {
        Answer(status, headers: fields, body: ResponseBody(byteBuffer: bytes))
    }
}
