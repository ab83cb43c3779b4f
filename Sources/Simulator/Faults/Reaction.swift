/// What the driver does with one request.
enum Reaction: Equatable {
    case answer(Answer)
    case refuse
    case reset
    case stall
}

/// A status with what goes into headers and body.
struct Answer: Equatable {
    /// nil is 200, unless the answer is malformed.
    var reason: APNsReason?
    /// The value of a `retry-after` header.
    var retryAfter: String?
    /// Milliseconds since 1970, for 410.
    var timestamp: Int64?

    /// Takes the place of everything else.
    var malformed: MalformedAnswer?

    static let accepted = Answer()

    var status: Int { malformed?.status ?? reason?.status ?? 200 }

    /// The body, as Apple writes it unless malformed; empty for 200.
    var body: String {
        if let malformed { return malformed.body }
        guard let reason else { return "" }
        guard let timestamp else { return "{\"reason\":\"\(reason.rawValue)\"}" }
        return "{\"reason\":\"\(reason.rawValue)\",\"timestamp\":\(timestamp)}"
    }
}
