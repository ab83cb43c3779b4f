public import Campaigns

/// The requests of one shard, with everything prepared that is alike: made once, asked for each device.
///
/// Per device three values differ at most (path, id, the message id in the body), and each is written into memory of the
/// caller's: no allocation, no `String`, no existential. A final class instead of a protocol, so that the sender
/// calls it directly; what tells providers apart is data. Immutable, so any event loop may use it; it is made anew
/// when the provider token was renewed.
public final class PreparedRequests: Sendable {
    /// All header fields in the order of the request, `:path` and the id as places.
    public let headers: [RequestHeader]
    /// The body, the same for every device of the shard but for its message id.
    public let body: [UInt8]
    /// Where in `body` the 22 characters of a device's message id go; nil when it has none.
    public let messageIDAt: Int?
    /// Who interprets the answers.
    public let provider: any PushProvider

    private let pathPrefix: [UInt8]
    private let idPrefix: [UInt8]
    private let successStatus: Int

    /// Prepares requests.
    ///
    /// `pathPrefix` is followed by the token's digits; `successStatus` is the one status that means `accepted` whatever
    /// the body says.
    init(
        provider: any PushProvider,
        headers: [RequestHeader],
        body: [UInt8],
        messageIDAt: Int?,
        pathPrefix: [UInt8],
        campaign: CampaignHash,
        successStatus: Int
    ) {
        self.provider = provider
        self.headers = headers
        self.body = body
        self.messageIDAt = messageIDAt
        self.pathPrefix = pathPrefix
        self.successStatus = successStatus
        idPrefix = RequestID.prefix(campaign)
    }

    /// Bytes of the path for a token of some raw bytes.
    public func pathByteCount(tokenBytes: Int) -> Int { pathPrefix.count + 2 * tokenBytes }

    /// Writes the path: the prefix and the token's bytes as lower-case hexadecimal digits.
    ///
    /// Returns its length.
    ///
    /// `token` is a row of `DeviceBatch.tokens`; `buffer` has room for `pathByteCount(tokenBytes:)` bytes, or this
    /// traps.
    @discardableResult
    public func writePath(token: Span<UInt8>, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = pathByteCount(tokenBytes: token.count)
        precondition(buffer.count >= count, "a path of \(count) bytes does not fit \(buffer.count)")
        buffer.copyBytes(from: pathPrefix)
        var position = pathPrefix.count
        for index in token.indices {
            let byte = token[index]
            buffer[position] = HexDigits.digit(byte >> 4)
            buffer[position + 1] = HexDigits.digit(byte)
            position += 2
        }
        return count
    }

    /// Writes the 36 characters of the request's id; `device` is the device's index in the campaign.
    ///
    /// `buffer` has room for `RequestID.byteCount` bytes, or this traps. Returns that number.
    @discardableResult
    public func writeID(device: UInt32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        precondition(buffer.count >= RequestID.byteCount, "an id does not fit \(buffer.count) bytes")
        buffer.copyBytes(from: idPrefix)
        var rest = device
        for position in stride(from: RequestID.byteCount - 1, through: RequestID.byteCount - 8, by: -1) {
            buffer[position] = HexDigits.digit(UInt8(truncatingIfNeeded: rest))
            rest >>= 4
        }
        return RequestID.byteCount
    }

    /// Whether a status alone says that the provider took the push; nothing else is looked at then.
    @inline(__always)
    public func isAccepted(status: Int) -> Bool { status == successStatus }

    /// What an answer means; the usual success costs one comparison.
    public func classify(
        status: Int,
        body: Span<UInt8>,
        retryAfter: Span<UInt8>,
        now: Timestamp
    ) -> Answer {
        if status == successStatus { return .accepted }
        return provider.classify(status: status, body: body, retryAfter: retryAfter, now: now)
    }
}
