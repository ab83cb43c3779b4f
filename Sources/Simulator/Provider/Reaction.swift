import HTTP2

/// What the driver does with one request.
enum Reaction: Equatable {
    case answer(Answer)
    case refuse
    case reset
    case stall
}

/// A status with what goes into headers and body.
struct Answer: Equatable {
    var status: Int
    /// The provider's word for why it refused, for the statistics; nil for an acceptance and for malformed answers.
    var reason: String?
    /// The value of a `retry-after` header.
    var retryAfter: String?
    /// Header fields of the provider's own.
    var fields: [HeaderField] = []
    /// Empty for none.
    var body: [UInt8] = []
    /// The value of `content-type`; nil for none.
    var contentType: String?
    /// The stream is never ended.
    var isEndless = false

    static let json = "application/json; charset=UTF-8"

    /// The request was taken in: it counts as accepted.
    var isAccepted: Bool { reason == nil && (200...299).contains(status) }
}
