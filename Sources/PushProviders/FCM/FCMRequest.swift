import Campaigns

/// A shard's message completed by the sender: the remaining time in front, each device's token at the end.
struct FCMRequest {
    /// The body up to the token, without the text of templates.
    let body: [UInt8]
    /// The offset in `body` of each device's message id; nil when there is none.
    let messageIDAt: Int?
    private let facts: Shard.Facts
    private let addedBytes: Int

    /// Assembles a message at a time.
    ///
    /// A payload that is not a message of ours, which only an unchecked job can have, is sent unchanged, and Google
    /// refuses it. `isValidation` asks Google to judge the message without delivering it.
    init(_ facts: Shard.Facts, now: Timestamp, isValidation: Bool = false) {
        let opening = FCMMessage.opening.utf8
        var shifted = facts
        if facts.payload.starts(with: opening), facts.payload.last == UInt8(ascii: "}") {
            let envelope = Self.envelope(facts, now: now, isValidation: isValidation)
            // The message's own brace is closed after the token.
            shifted.payload = envelope + facts.payload.dropFirst(opening.count).dropLast() + ",\"token\":\"".utf8
            let shift = envelope.count - opening.count
            shifted.messageIDAt = facts.messageIDAt.map { UInt32(Int($0) + shift) }
            for index in shifted.personal.placeholders.indices {
                shifted.personal.placeholders[index].at = UInt32(Int(shifted.personal.placeholders[index].at) + shift)
            }
        }
        self.facts = shifted
        addedBytes = shifted.payload.count - facts.payload.count
        body = shifted.personal.isEmpty ? shifted.payload : []
        messageIDAt = shifted.personal.isEmpty ? shifted.messageIDAt.map { Int($0) } : nil
    }

    /// The parts that differ between devices besides the token; nil for none.
    func personal(limits: ProviderLimits) -> PersonalRequests? {
        guard !facts.personal.isEmpty else { return nil }
        return PersonalRequests(
            facts,
            // The limit applies to the message, not to the envelope around it.
            bodyBytesMax: FCMProvider.messageBytesMax + addedBytes,
            collapseHeader: nil,
            collapseIDBytesMax: limits.collapseIDBytesMax
        )
    }

    /// Returns the envelope with the remaining time as `ttl`, at least a second, or 0 when Google is not to store the
    /// message (contract, section 1).
    private static func envelope(_ facts: Shard.Facts, now: Timestamp, isValidation: Bool) -> [UInt8] {
        let left = (facts.expiresAt.milliseconds - now.milliseconds) / 1000
        let seconds = facts.policy.dropIfOffline ? 0 : min(max(1, left), FCMProvider.secondsMax)
        let flag = isValidation ? "\"validate_only\":true," : ""
        return Array("{\(flag)\"message\":{\"android\":{\"ttl\":\"\(seconds)s\",".utf8)
    }
}
