import Campaigns
import HTTPTypes

/// Which requests may take the lane; no I/O.
enum LaneRule {
    /// Bytes of a body: the most that a route of the edge takes.
    static let bodyMax = TrackingRequest.bytesMax

    /// Whether a request says that it has a body.
    static func hasBody(_ head: HTTPRequest) -> Bool {
        head.headerFields[.transferEncoding] != nil || head.headerFields[.contentLength].map { $0 != "0" } ?? false
    }

    /// Whether a request is whole when it is read, small, and leaves its connection open.
    static func fits(_ head: HTTPRequest) -> Bool {
        var hasLength = false
        for field in head.headerFields {
            switch field.name {
            case .contentLength:
                guard let length = Int(field.value), length <= bodyMax else { return false }
                hasLength = true
            // Whoever asks first whether it may send, or says the size later, is answered piece by piece.
            case .expect, .transferEncoding: return false
            case .connection: if field.value.lowercased() != "keep-alive" { return false }
            default: break
            }
        }
        return hasLength || head.method == .get || head.method == .head || head.method == .delete
    }
}
