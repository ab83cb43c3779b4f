public import Campaigns

/// The requests of one shard, with everything prepared that is alike: made once, asked for each device.
///
/// Per device three values differ at most (token, id, the message id in the body): whoever sends copies `template` and
/// has `fill(_:token:device:)` write into the copy. No allocation, no `String`, no existential. A final class instead of
/// a protocol, so that the sender calls it directly; what tells providers apart is data. Immutable, so any event loop
/// may use it; it is made anew when the provider token was renewed.
public final class PreparedRequests: Sendable {
    /// All header fields in the order of the request, `:path` and the id as places.
    public let headers: [RequestHeader]
    /// What all devices of the shard have of a request, one after the other: the id, if there is one, and body and path,
    /// the one last that the token is a part of.
    ///
    /// Each device's token follows, with what comes behind it.
    public let template: [UInt8]
    /// Where in `template` the id lies; empty when requests have none.
    public let idRange: Range<Int>
    /// Where in a device's request its token begins to count: where the last of body and path begins.
    public let lastAt: Int
    /// Whether the last is the body; otherwise it is the path.
    public let endsWithBody: Bool
    /// Where in `template` the 22 characters of a device's message id go; nil when it has none.
    public let messageIDAt: Int?
    /// What makes each device's own body, which is not in `template` then; nil when all have the same.
    public let personal: PersonalRequests?
    /// How each device's body is sealed for it alone; nil when bodies go out as they are.
    public let seal: SealRule?
    /// Who interprets the answers.
    public let provider: any PushProvider

    private let token: TokenPlace
    private let successStatus: Int

    /// Prepares requests.
    ///
    /// - Parameters:
    ///   - provider: Who interprets the answers.
    ///   - headers: All header fields.
    ///   - body: The body, up to the token where that is a part of it; empty when each device has its own.
    ///   - messageIDAt: A place in `body`.
    ///   - personal: What makes each device's own body.
    ///   - path: The path, up to the token where that is a part of it.
    ///   - token: Where each device's token goes.
    ///   - seal: How each device's body is sealed.
    ///   - id: What ids of requests are made from; nil when they have none.
    ///   - successStatus: The one status that means `accepted` whatever the body says.
    init(
        provider: any PushProvider,
        headers: [RequestHeader],
        body: [UInt8],
        messageIDAt: Int?,
        personal: PersonalRequests? = nil,
        path: [UInt8],
        token: TokenPlace,
        seal: SealRule? = nil,
        id: CampaignHash? = nil,
        successStatus: Int
    ) {
        self.provider = provider
        self.headers = headers
        self.personal = personal
        self.token = token
        self.seal = seal
        self.successStatus = successStatus
        let idText = id.map { Array(RequestID.text(campaign: $0, device: 0).utf8) } ?? []
        endsWithBody = token != .path
        let (first, last) = endsWithBody ? (path, body) : (body, path)
        template = idText + first + last
        idRange = 0..<idText.count
        lastAt = idText.count + first.count
        let bodyAt = endsWithBody ? lastAt : idText.count
        self.messageIDAt = messageIDAt.map { bodyAt + $0 }
    }

    /// Where each device's token goes.
    public enum TokenPlace: Equatable, Sendable {
        /// Its bytes as lower-case hexadecimal digits end the path.
        case path
        /// Its bytes as they are end the body, but for this.
        case body(suffix: [UInt8])
        /// Neither: `seal` says what it is for.
        case apart
    }

    /// The body up to the token or its end, the same for every device of the shard but for its message id.
    public var body: [UInt8] { Array(endsWithBody ? template[lastAt...] : template[idRange.upperBound..<lastAt]) }

    /// The path up to the token or its end.
    public var path: [UInt8] { Array(endsWithBody ? template[idRange.upperBound..<lastAt] : template[lastAt...]) }

    /// Bytes that follow the template for a token.
    @inline(__always)
    public func tail(tokenBytes: Int) -> Int {
        switch token {
        case .path: 2 * tokenBytes
        case .body(let suffix): tokenBytes + suffix.count
        case .apart: 0
        }
    }

    /// Writes what is a device's own into a copy of `template`: the token behind it, and the index in the campaign as
    /// the id's last eight digits.
    ///
    /// `token` is a row of `DeviceBatch.tokens`; `room` is as long as the template and `tail(tokenBytes:)`, or this
    /// traps.
    public func fill(_ room: UnsafeMutableRawBufferPointer, token: UnsafeRawBufferPointer, device: UInt32) {
        let count = template.count + tail(tokenBytes: token.count)
        guard let base = room.baseAddress, room.count == count else {
            preconditionFailure("a request of \(count) bytes does not fit \(room.count)")
        }
        if !idRange.isEmpty { HexDigits.write(device, to: base + RequestID.byteCount - RequestID.indexByteCount) }
        writeTail(UnsafeMutableRawBufferPointer(rebasing: room[template.count...]), token: token)
    }

    /// Writes a token with what comes behind it; `room` is as long as `tail(tokenBytes:)`.
    public func writeTail(_ room: UnsafeMutableRawBufferPointer, token: UnsafeRawBufferPointer) {
        guard let base = room.baseAddress else { return }
        switch self.token {
        case .apart: break
        case .path: HexDigits.write(token, to: base)
        case .body(let suffix):
            if let source = token.baseAddress { base.copyMemory(from: source, byteCount: token.count) }
            suffix.withUnsafeBytes { bytes in
                if let source = bytes.baseAddress {
                    (base + token.count).copyMemory(from: source, byteCount: bytes.count)
                }
            }
        }
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
