import HTTP2

/// The driver's reaction to one request.
enum Reaction: Equatable {
    case answer(Answer)
    case refuse
    case reset
    case stall
}

/// A status with its headers and body.
struct Answer: Equatable {
    var status: Int
    /// The provider's reason for a refusal, for the statistics; nil for an acceptance and for malformed answers.
    var reason: String?
    /// The value of a `retry-after` header.
    var retryAfter: String?
    /// Header fields that only this provider sends.
    var fields: [HeaderField] = []
    /// The body; empty for none.
    var body: [UInt8] = []
    /// The value of `content-type`; nil for none.
    var contentType: String?
    /// True if the stream is never ended.
    var isEndless = false

    static let json = "application/json; charset=UTF-8"

    /// True if the message counts as accepted.
    var isAccepted: Bool { reason == nil && (200...299).contains(status) }
}
