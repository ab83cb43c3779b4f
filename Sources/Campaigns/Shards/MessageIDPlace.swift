/// The member of a payload's `fanfare` object that differs from device to device: `,"m":"<22 characters>"`.
///
/// Contract, section 5. Intake leaves room for it in the payload of a campaign; a sender writes each device's own id
/// there.
public enum MessageIDPlace {
    /// Characters of an id: 16 bytes in base64url.
    public static let byteCount = 22
    /// What comes before the id; the member is never the object's first.
    public static let opening = Array(",\"m\":\"".utf8)
    /// The same within a JSON text that is a string itself.
    static let nestedOpening = Array(",\\\"m\\\":\\\"".utf8)
    /// What stands in the place until an id is written.
    public static let blank = [UInt8](repeating: UInt8(ascii: "-"), count: byteCount)

    /// Whether an id with what stands around it fits there; true for none.
    static func isPossible(_ place: UInt32?, inPayloadOf byteCount: Int) -> Bool {
        guard let place else { return true }
        return Int(place) > opening.count && Int(place) + Self.byteCount < byteCount
    }

    /// The whole member around an id, with the comma before it and the quotation mark behind.
    static func member(around place: Int, in payload: [UInt8]) -> Range<Int> {
        let isNested = payload[..<place].reversed().starts(with: nestedOpening.reversed())
        let (front, back) = isNested ? (nestedOpening.count, 2) : (opening.count, 1)
        return place - front..<place + byteCount + back
    }
}

extension Shard.Facts {
    /// The same without any message id, for a worker that has no key to make one with.
    public func withoutMessageID() -> Shard.Facts {
        guard let place = messageIDAt.map({ Int($0) }) else { return self }
        var result = self
        let member = MessageIDPlace.member(around: place, in: payload)
        result.payload.removeSubrange(member)
        result.messageIDAt = nil
        let removed = UInt32(member.count)
        for index in result.personal.slots.indices where Int(result.personal.slots[index].at) > place {
            result.personal.slots[index].at -= removed
        }
        return result
    }
}
