/// The header values of a message, after the rules have passed it.
struct WebPushHeaders: Equatable {
    /// The longest topic.
    ///
    /// RFC 8030, section 5.4: at most 32 characters of the URL-safe base64 alphabet.
    static let topicCharactersMost = 32
    /// The longest storage of a message: 30 days (autopush: 2,592,000 s), which the answer states.
    static let timeToLiveSecondsMost: Int64 = 2_592_000
    /// The most bytes of a message.
    ///
    /// RFC 8030, section 7.2: a service "MUST NOT return a 413 for 4096 bytes or less"; none accepts more.
    static let bytesMost = 4096

    /// The time for which the message is kept, in seconds; 0 is now or never.
    let timeToLiveSeconds: Int64
    /// The topic, by which it replaces a waiting message; nil for none.
    let topic: String?

    /// Checks a request; throws its first fault.
    init(_ request: borrowing ProviderRequest) throws(WebPushRefusal) {
        guard let ttl = request[.ttl] else { throw WebPushRefusal(.badRequest, "Missing TTL header") }
        guard let seconds = DecimalDigits.value(ttl) else { throw WebPushRefusal(.badRequest, "Invalid TTL header") }
        timeToLiveSeconds = min(seconds, Self.timeToLiveSecondsMost)
        if let urgency = request.text(.urgency), !["very-low", "low", "normal", "high"].contains(urgency) {
            throw WebPushRefusal(.badRequest, "Invalid Urgency header")
        }
        topic = request.text(.webPushTopic)
        if let topic {
            let isGood = topic.utf8.allSatisfy(Self.mayBeInTopic) && !topic.isEmpty
            guard isGood, topic.utf8.count <= Self.topicCharactersMost else {
                throw WebPushRefusal(.badRequest, "Invalid Topic header")
            }
        }
        guard request.bodyBytes <= Self.bytesMost else { throw WebPushRefusal(.tooLarge, "Data payload too large") }
        if request.bodyBytes > 0, request.text(.contentEncoding) != "aes128gcm" {
            throw WebPushRefusal(.badRequest, "Unknown Content-Encoding")
        }
    }

    private static func mayBeInTopic(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}

/// A refusal with its text.
struct WebPushRefusal: Error, Equatable {
    let error: WebPushError
    let message: String

    init(_ error: WebPushError, _ message: String) {
        self.error = error
        self.message = message
    }
}
