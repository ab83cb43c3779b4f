public import Campaigns

/// The requests of one shard, with everything prepared that is alike: made once, asked for each device.
///
/// Per device three values differ at most (path, id, the message id in the body): whoever sends copies `template` and has
/// `fill(_:token:device:)` write into the copy. No allocation, no `String`, no existential. A final class instead of a
/// protocol, so that the sender calls it directly; what tells providers apart is data. Immutable, so any event loop may
/// use it; it is made anew when the provider token was renewed.
public final class PreparedRequests: Sendable {
    /// All header fields in the order of the request, `:path` and the id as places.
    public let headers: [RequestHeader]
    /// What all devices of the shard have of a request, one after the other: the id, the body, the path's beginning.
    ///
    /// The token's digits follow behind it.
    public let template: [UInt8]
    /// Where in `template` the id lies.
    public let idRange: Range<Int>
    /// Where in `template` the body lies; the path begins behind it.
    public let bodyRange: Range<Int>
    /// Where in `template` the 22 characters of a device's message id go; nil when it has none.
    public let messageIDAt: Int?
    /// What makes each device's own body, which is not in `template` then; nil when all have the same.
    public let personal: PersonalRequests?
    /// Who interprets the answers.
    public let provider: any PushProvider

    private let successStatus: Int

    /// Prepares requests.
    ///
    /// `messageIDAt` is a place in `body`; `pathPrefix` is followed by the token's digits; `successStatus` is the one
    /// status that means `accepted` whatever the body says.
    init(
        provider: any PushProvider,
        headers: [RequestHeader],
        body: [UInt8],
        messageIDAt: Int?,
        personal: PersonalRequests? = nil,
        pathPrefix: [UInt8],
        campaign: CampaignHash,
        successStatus: Int
    ) {
        self.provider = provider
        self.headers = headers
        self.personal = personal
        self.successStatus = successStatus
        template = Array(RequestID.text(campaign: campaign, device: 0).utf8) + body + pathPrefix
        let bodyAt = RequestID.byteCount
        idRange = 0..<bodyAt
        bodyRange = bodyAt..<bodyAt + body.count
        self.messageIDAt = messageIDAt.map { bodyAt + $0 }
    }

    /// The body, the same for every device of the shard but for its message id.
    public var body: [UInt8] { Array(template[bodyRange]) }

    /// Bytes of the token's digits, which end the path.
    public func pathTail(tokenBytes: Int) -> Int { 2 * tokenBytes }

    /// Writes what is a device's own into a copy of `template`: the token's bytes as lower-case hexadecimal digits
    /// behind it, and the index in the campaign as the id's last eight digits.
    ///
    /// `token` is a row of `DeviceBatch.tokens`; `room` is as long as the template and `pathTail(tokenBytes:)`, or this
    /// traps.
    public func fill(_ room: UnsafeMutableRawBufferPointer, token: UnsafeRawBufferPointer, device: UInt32) {
        let count = template.count + pathTail(tokenBytes: token.count)
        guard let base = room.baseAddress, room.count == count else {
            preconditionFailure("a request of \(count) bytes does not fit \(room.count)")
        }
        HexDigits.write(device, to: base + RequestID.byteCount - RequestID.indexByteCount)
        HexDigits.write(token, to: base + template.count)
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
