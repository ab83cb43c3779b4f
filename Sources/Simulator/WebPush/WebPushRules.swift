/// What a message says besides its body, after the rules have passed it.
struct WebPushHeaders: Equatable {
    /// RFC 8030, section 5.4: at most 32 characters of the URL-safe base64 alphabet.
    static let topicCharactersMost = 32
    /// Services keep messages for 30 days at most (autopush: 2,592,000 s) and say so in their answer.
    static let timeToLiveSecondsMost: Int64 = 2_592_000
    /// RFC 8030, section 7.2: a service "MUST NOT return a 413 for 4096 bytes or less"; none takes more.
    static let bytesMost = 4096

    /// How long the message is kept, in seconds; 0 is now or never.
    let timeToLiveSeconds: Int64
    /// What it takes the place of while it waits.
    let topic: String?

    /// Checks a request; throws what is wrong first.
    init(_ request: borrowing ProviderRequest) throws(WebPushRefusal) {
        guard let ttl = request[.ttl] else { throw WebPushRefusal(.badRequest, "Missing TTL header") }
        guard let seconds = APNsRules.decimal(ttl) else { throw WebPushRefusal(.badRequest, "Invalid TTL header") }
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
