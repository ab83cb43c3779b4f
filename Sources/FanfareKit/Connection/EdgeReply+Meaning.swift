import Foundation

extension EdgeReply {
    private var json: JSON? { try? JSONDecoder().decode(JSON.self, from: body) }

    /// True if the reply is no answer to the request, and asking again later may bring one.
    var isPassing: Bool { [408, 425, 429].contains(status) || status >= 500 }

    /// The result of a registration, and the secret that came with the first one.
    var registration: (result: RegistrationResult, secret: String?) {
        let json = self.json
        let said = json?["status"]?.string.flatMap { RegistrationResult.Status(rawValue: $0) }
        let reason = json?["reason"]?.string
        guard (200..<300).contains(status) else {
            let result = RegistrationResult(
                said ?? Self.status(status),
                reason: reason ?? "the server answered \(status)",
                pointer: json?["pointer"]?.string,
                // A wrong field stays wrong.
                isPassing: (400..<500).contains(status) && ![408, 425, 429].contains(status) ? false : nil
            )
            return (result, nil)
        }
        return (RegistrationResult(.registered, reason: reason), json?["device_secret"]?.string)
    }

    /// The status for a code when the body, from a proxy or a later server, names none that the kit knows.
    private static func status(_ code: Int) -> RegistrationResult.Status {
        switch code {
        case 401: .integrationKeyEmpty
        case 403: .integrationKeyUnknown
        case 429: .tooManyRequests
        default: .unexpectedError
        }
    }

    /// The meaning of a reply to a batch of events.
    var tracking: EventOutbox.Answer {
        switch status {
        case 200..<300: .taken
        // Only the server itself can say that it has forgotten this device; a proxy in between cannot.
        case 401, 403: json?["status"]?.string == nil ? .unavailable(retryAfter: retryAfter) : .notRegistered
        case 408, 425, 429, 500...: .unavailable(retryAfter: retryAfter)
        default: .refused(index: refusedIndex, reason: json?["reason"]?.string ?? "the server answered \(status)")
        }
    }

    /// The event that a pointer such as `/events/3/m` names.
    private var refusedIndex: Int? {
        guard let words = json?["pointer"]?.string?.split(separator: "/"), words.count >= 2, words[0] == "events" else {
            return nil
        }
        return Int(words[1])
    }
}
