/// The header block of the answer that is being received (RFC 9113 section 8.1); there is at most one at a time.
struct AnswerBlock {
    /// The most CONTINUATION frames of one block: four hold all header bytes that are allowed by default.
    static let continuationsMax = 8

    /// The stream that the block belongs to; 0 when none is being received.
    var streamID: Int32 = 0
    /// The stream's entry, looked up for each frame because the stream may be abandoned in between; nil when it was.
    ///
    /// The block is then decoded only to keep the compression table correct.
    var stream: UnsafeMutablePointer<ClientStream>?
    /// True if the stream had its final status before this block.
    var hadStatus = false
    var endsStream = false
    var continuations = 0
    var bytes = 0
    private var status: UInt16 = 0
    private var hasFields = false
    private var isMalformed = false

    /// Copies a field into the entry.
    mutating func receive(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        bytes += name.count + value.count + HeaderTable.entryOverhead
        if name.first == UInt8(ascii: ":") { return receivePseudoField(name: name, value: value) }
        hasFields = true
        // Ignores trailers, and fields that precede a status.
        guard let stream = self.stream, status != 0 else { return }
        // By length first: most fields are ignored.
        switch name.count {
        case 4 where name.elementsEqual("date".utf8): stream.pointee.date = stream.pointee.appendField(value)
        case 7 where name.elementsEqual("apns-id".utf8): stream.pointee.apnsID = stream.pointee.appendField(value)
        case 11 where name.elementsEqual("retry-after".utf8):
            stream.pointee.retryAfter = stream.pointee.appendField(value)
        case 15 where name.elementsEqual("apns-channel-id".utf8):
            stream.pointee.channelID = stream.pointee.appendField(value)
        default: break
        }
    }

    /// Checks and reads `:status`, which is an answer's only pseudo-header field, first and once (section 8.3.2).
    private mutating func receivePseudoField(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        let isStatus = name.elementsEqual(":status".utf8)
        guard isStatus, status == 0, !hasFields, let number = AnswerBlock.status(value) else {
            isMalformed = true
            return
        }
        status = number
        guard let stream = self.stream, !hadStatus else { return }
        stream.pointee.resetAnswer()
        stream.pointee.status = number
    }

    /// Parses three digits from 100 to 999.
    private static func status(_ value: UnsafeRawBufferPointer) -> UInt16? {
        guard value.count == 3, value.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let number = value.reduce(0 as UInt16) { $0 * 10 + UInt16($1 & 0x0F) }
        return number >= 100 ? number : nil
    }

    /// True if the block is valid at this point of an answer (section 8.1): a status, or trailers after the body.
    var isLawful: Bool {
        if isMalformed { return false }
        if hadStatus { return status == 0 && endsStream }
        // An interim answer does not end a stream, and HTTP/2 has no 101 (section 8.6).
        return status >= 200 || (status >= 100 && status != 101 && !endsStream)
    }
}
