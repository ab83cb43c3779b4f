/// The member of a payload that differs from device to device: `,"m":"<22 characters>"` in the `fanfare` object, or one of
/// the app's own name beside it.
///
/// Contract, section 5. Intake leaves room for it in the payload of a campaign; a sender writes each device's own id
/// there.
public enum MessageIDPlace {
    /// Characters of an id: 16 bytes in base64url.
    public static let byteCount = 22
    /// What comes before the id; the member is never the object's first.
    public static let opening = Array(",\"m\":\"".utf8)
    /// The same under a name of the app's own.
    public static func opening(named name: String) -> [UInt8] { Array(",\"\(name)\":\"".utf8) }
    /// What stands in the place until an id is written.
    public static let blank = [UInt8](repeating: UInt8(ascii: "-"), count: byteCount)

    /// Whether an id with what stands around it fits there; true for none.
    static func isPossible(_ place: UInt32?, inPayloadOf byteCount: Int) -> Bool {
        guard let place else { return true }
        return Int(place) > opening.count && Int(place) + Self.byteCount < byteCount
    }

    /// The whole member around an id, with the comma before it and the quotation mark behind.
    ///
    /// Its name has no comma in it; within a JSON text that is a string itself its quotation marks are escaped.
    static func member(around place: Int, in payload: [UInt8]) -> Range<Int> {
        let start = payload[..<place].lastIndex(of: UInt8(ascii: ",")) ?? place
        let isNested = place >= 2 && payload[place - 2] == UInt8(ascii: "\\")
        return start..<place + byteCount + (isNested ? 2 : 1)
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
