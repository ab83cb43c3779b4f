public import Campaigns

/// The requests of one shard with their shared parts prepared: created once, used for each device.
///
/// At most three values differ per device: token, id, and the message id in the body. The sender copies `template` and
/// calls `fill(_:token:device:)` to write them into the copy. No allocation, no `String`, no existential. A final class
/// instead of a protocol, so that the sender calls it directly; data tells providers apart. Immutable, so any event
/// loop may use it; it is recreated when the provider token was renewed.
public final class PreparedRequests: Sendable {
    /// All header fields in the order of the request, with placeholders for `:path` and the id.
    public let headers: [RequestHeader]
    /// The shared part of a request: the id, if there is one, then body and path, of which the one that contains the
    /// token comes last.
    ///
    /// Each device's token follows, and then the bytes after the token.
    public let template: [UInt8]
    /// The range of the id in `template`; empty when requests have none.
    public let idRange: Range<Int>
    /// The offset in a device's request at which the last of body and path begins.
    public let lastAt: Int
    /// True if the token is the value of a header field and belongs neither to body nor path; there is no id then.
    public let tokenIsField: Bool
    /// True if the body is last; otherwise the path is.
    public let endsWithBody: Bool
    /// The offset in `template` of the 22 characters of a device's message id; nil when there is none.
    public let messageIDAt: Int?
    /// The templates of each device's own body, which is then not in `template`; nil when all devices have the same.
    public let personal: PersonalRequests?
    /// The rule that encrypts each device's body for it alone; nil when bodies are sent as they are.
    public let seal: SealRule?
    /// The provider that interprets the answers.
    public let provider: any PushProvider

    private let token: TokenPosition
    private let successStatus: Int

    /// Prepares requests.
    ///
    /// - Parameters:
    ///   - provider: The provider that interprets the answers.
    ///   - headers: All header fields.
    ///   - body: The body, up to the token where the body contains it; empty when each device has its own.
    ///   - messageIDAt: An offset in `body`.
    ///   - personal: The templates of each device's own body.
    ///   - path: The path, up to the token where the path contains it.
    ///   - token: The position of each device's token.
    ///   - seal: The rule that encrypts each device's body.
    ///   - id: The campaign's hash for request ids; nil when requests have none.
    ///   - successStatus: The one status that means `accepted` whatever the body says.
    init(
        provider: any PushProvider,
        headers: [RequestHeader],
        body: [UInt8],
        messageIDAt: Int?,
        personal: PersonalRequests? = nil,
        path: [UInt8],
        token: TokenPosition,
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
        tokenIsField = token == .field
        let idText = id.map { Array(RequestID.text(campaign: $0, device: 0).utf8) } ?? []
        endsWithBody = token != .path
        let (first, last) = endsWithBody ? (path, body) : (body, path)
        template = idText + first + last
        idRange = 0..<idText.count
        lastAt = idText.count + first.count
        let bodyAt = endsWithBody ? lastAt : idText.count
        self.messageIDAt = messageIDAt.map { bodyAt + $0 }
    }

    /// The position of each device's token.
    public enum TokenPosition: Equatable, Sendable {
        /// At the end of the path, as lower-case hexadecimal digits.
        case path
        /// At the end of the body, unchanged and followed by this suffix.
        case body(suffix: [UInt8])
        /// Behind the body, unchanged: the value of the field that each request sets itself, in place of an id.
        case field
        /// In neither; `seal` uses it.
        case apart
    }

    /// The body up to the token or its end, the same for every device of the shard except for its message id.
    public var body: [UInt8] { Array(endsWithBody ? template[lastAt...] : template[idRange.upperBound..<lastAt]) }

    /// The path up to the token or its end.
    public var path: [UInt8] { Array(endsWithBody ? template[idRange.upperBound..<lastAt] : template[lastAt...]) }

    /// Returns the number of bytes that follow the template for a token.
    @inline(__always)
    public func tail(tokenBytes: Int) -> Int {
        switch token {
        case .path: 2 * tokenBytes
        case .field: tokenBytes
        case .body(let suffix): tokenBytes + suffix.count
        case .apart: 0
        }
    }

    /// Writes a device's own parts into a copy of `template`: the token behind it, and the device's index in the
    /// campaign as the last eight digits of the id.
    ///
    /// `token` is a row of `DeviceBatch.tokens`. Traps unless `room` is as long as the template and
    /// `tail(tokenBytes:)`.
    public func fill(_ room: UnsafeMutableRawBufferPointer, token: UnsafeRawBufferPointer, device: UInt32) {
        let count = template.count + tail(tokenBytes: token.count)
        guard let base = room.baseAddress, room.count == count else {
            preconditionFailure("a request of \(count) bytes does not fit \(room.count)")
        }
        if !idRange.isEmpty { HexDigits.write(device, to: base + RequestID.byteCount - RequestID.indexByteCount) }
        writeTail(UnsafeMutableRawBufferPointer(rebasing: room[template.count...]), token: token)
    }

    /// Writes a token and the bytes after it; `room` is as long as `tail(tokenBytes:)`.
    public func writeTail(_ room: UnsafeMutableRawBufferPointer, token: UnsafeRawBufferPointer) {
        guard let base = room.baseAddress else { return }
        switch self.token {
        case .apart: break
        case .field: if let source = token.baseAddress { base.copyMemory(from: source, byteCount: token.count) }
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

    /// Returns true if the status alone shows that the provider took the push; the rest of the answer is then ignored.
    @inline(__always)
    public func isAccepted(status: Int) -> Bool { status == successStatus }

    /// Returns the meaning of an answer; the usual success costs one comparison.
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
