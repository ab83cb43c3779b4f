import Campaigns
import HTTPTypes

/// The requests that may take the fast path; no I/O.
enum FastPathRule {
    /// The most bytes of a body: the largest limit of the edge's routes.
    static let bodyMax = TrackingRequest.bytesMax

    /// Returns true if a request announces a body.
    static func hasBody(_ head: HTTPRequest) -> Bool {
        head.headerFields[.transferEncoding] != nil || head.headerFields[.contentLength].map { $0 != "0" } ?? false
    }

    /// Returns true if a request is complete once read, small, and leaves its connection open.
    static func fits(_ head: HTTPRequest) -> Bool {
        var hasLength = false
        for field in head.headerFields {
            switch field.name {
            case .contentLength:
                guard let length = Int(field.value), length <= bodyMax else { return false }
                hasLength = true
            // A client that asks for permission first, or sends in chunks, is answered piece by piece.
            case .expect, .transferEncoding: return false
            case .connection: if field.value.lowercased() != "keep-alive" { return false }
            default: break
            }
        }
        return hasLength || head.method == .get || head.method == .head || head.method == .delete
    }
}
