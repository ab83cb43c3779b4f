import Campaigns

/// A shard's message with what only the sender knows: the remaining time in front, each device's token behind.
struct FCMRequest {
    /// Up to the token; without what templates render.
    let body: [UInt8]
    /// Where in `body` each device's message id goes.
    let messageIDAt: Int?
    private let facts: Shard.Facts
    private let addedBytes: Int

    /// Puts a message together at an instant.
    ///
    /// A payload that is no message of ours, which only a job has that was never checked, goes as it is: Google refuses it.
    /// `isValidation`: Google is asked to judge the message and to deliver it to nobody.
    init(_ facts: Shard.Facts, now: Timestamp, isValidation: Bool = false) {
        let opening = FCMMessage.opening.utf8
        var shifted = facts
        if facts.payload.starts(with: opening), facts.payload.last == UInt8(ascii: "}") {
            let envelope = Self.envelope(facts, now: now, isValidation: isValidation)
            // The message's own brace is closed behind the token.
            shifted.payload = envelope + facts.payload.dropFirst(opening.count).dropLast() + ",\"token\":\"".utf8
            let shift = envelope.count - opening.count
            shifted.messageIDAt = facts.messageIDAt.map { UInt32(Int($0) + shift) }
            for index in shifted.personal.slots.indices {
                shifted.personal.slots[index].at = UInt32(Int(shifted.personal.slots[index].at) + shift)
            }
        }
        self.facts = shifted
        addedBytes = shifted.payload.count - facts.payload.count
        body = shifted.personal.isEmpty ? shifted.payload : []
        messageIDAt = shifted.personal.isEmpty ? shifted.messageIDAt.map { Int($0) } : nil
    }

    /// What differs from device to device besides the token; nil for nothing.
    func personal(limits: ProviderLimits) -> PersonalRequests? {
        guard !facts.personal.isEmpty else { return nil }
        return PersonalRequests(
            facts,
            // The limit is the message's; what is put around it does not count.
            bodyBytesMax: FCMProvider.messageBytesMax + addedBytes,
            collapseHeader: nil,
            collapseIDBytesMax: limits.collapseIDBytesMax
        )
    }

    /// `ttl` is the time that is left, at least a second, or 0 when Google is not to store the message (contract,
    /// section 1).
    private static func envelope(_ facts: Shard.Facts, now: Timestamp, isValidation: Bool) -> [UInt8] {
        let left = (facts.expiresAt.milliseconds - now.milliseconds) / 1000
        let seconds = facts.dropIfOffline ? 0 : min(max(1, left), FCMProvider.secondsMax)
        let flag = isValidation ? "\"validate_only\":true," : ""
        return Array("{\(flag)\"message\":{\"android\":{\"ttl\":\"\(seconds)s\",".utf8)
    }
}
