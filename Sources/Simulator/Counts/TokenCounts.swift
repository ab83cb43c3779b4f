/// The counts of one device token.
struct TokenCounts: Equatable {
    /// Requests that were processed: answered, reset after the fact, or left without an answer.
    var requests: UInt32 = 0
    /// Requests that reached the device: processed and within the rules.
    var judged: UInt16 = 0
    /// Answers that accepted the message.
    var accepted: UInt16 = 0
    /// Requests that were refused unprocessed (REFUSED_STREAM).
    var refused: UInt16 = 0
    /// The last status; 0 when there was none.
    var lastStatus: UInt16 = 0

    mutating func note(_ reaction: Reaction, judged isJudged: Bool) {
        switch reaction {
        case .refuse: refused = refused == .max ? .max : refused + 1
        case .reset, .stall: processed(isJudged)
        case .answer(let answer):
            processed(isJudged)
            lastStatus = UInt16(answer.status)
            if answer.isAccepted, accepted < .max { accepted += 1 }
        }
    }

    private mutating func processed(_ isJudged: Bool) {
        if requests < .max { requests += 1 }
        if isJudged && judged < .max { judged += 1 }
    }
}
