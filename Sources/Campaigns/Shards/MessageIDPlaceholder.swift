/// The member of a payload with the message id, which differs for each device.
///
/// It is `,"m":"<22 characters>"` in the `fanfare` object, or a member with the app's own name beside it (contract,
/// section 5). Intake leaves room for it in the campaign's payload; a sender writes each device's own id there.
public enum MessageIDPlaceholder {
    /// The length of an id: 16 bytes in base64url.
    public static let byteCount = 22
    /// The text before the id; the member is never the object's first.
    public static let opening = Array(",\"m\":\"".utf8)
    /// Returns the text before the id for the app's own name.
    public static func opening(named name: String) -> [UInt8] { Array(",\"\(name)\":\"".utf8) }
    /// The placeholder for an id.
    public static let blank = [UInt8](repeating: UInt8(ascii: "-"), count: byteCount)

    /// Returns true if an id and the text around it fit at an offset, or if there is no offset.
    static func isPossible(_ offset: UInt32?, inPayloadOf byteCount: Int) -> Bool {
        guard let offset else { return true }
        return Int(offset) > opening.count && Int(offset) + Self.byteCount < byteCount
    }

    /// Returns the range of the whole member around an id, including the comma before it and the quotation mark after
    /// it.
    ///
    /// The name contains no comma; inside a JSON string the quotation marks are escaped.
    static func member(around offset: Int, in payload: [UInt8]) -> Range<Int> {
        let start = payload[..<offset].lastIndex(of: UInt8(ascii: ",")) ?? offset
        let isNested = offset >= 2 && payload[offset - 2] == UInt8(ascii: "\\")
        return start..<offset + byteCount + (isNested ? 2 : 1)
    }
}

extension Shard.Facts {
    /// Returns the facts without the message id, for a worker that has no key to make one.
    public func withoutMessageID() -> Shard.Facts {
        guard let offset = messageIDAt.map({ Int($0) }) else { return self }
        var result = self
        let member = MessageIDPlaceholder.member(around: offset, in: payload)
        result.payload.removeSubrange(member)
        result.messageIDAt = nil
        let removed = UInt32(member.count)
        for index in result.personal.placeholders.indices where Int(result.personal.placeholders[index].at) > offset {
            result.personal.placeholders[index].at -= removed
        }
        return result
    }
}
