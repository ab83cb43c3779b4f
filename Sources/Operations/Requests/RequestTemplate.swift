package import Campaigns
package import Delivery
package import HTTP2
package import PushProviders
package import Settings

/// The requests of a shard as raw bytes: a device's request is one copy plus its own fields.
///
/// Made once per shard and credential. The bytes are raw memory, not the shard's arrays, because each access to an
/// array from a class counts references, which costs as much as writing the request. Confined to its loop.
package final class RequestTemplate {
    let headers: PreparedHeaders
    private let requests: PreparedRequests
    private let idRange: Range<Int>
    /// The offsets at which the first and the last of body and path begin; the last ends with the device's own bytes.
    private let firstAt: Int
    private let lastAt: Int
    private let endsWithBody: Bool
    private let tokenIsField: Bool
    private let template: UnsafeMutableRawBufferPointer
    private let tokens: UnsafeMutableRawBufferPointer
    /// The offset of each device's token, and the end of the last one.
    private let tokenBounds: UnsafeMutableBufferPointer<Int>
    private let devices: UnsafeMutableBufferPointer<UInt32>
    private let own: Own
    /// The reason why the last device has no request.
    package private(set) var leftOut: LeftOut?

    /// The part that differs between devices besides token and id, decided once for the shard.
    private enum Own {
        case nothing
        /// The message id, at this range of the template.
        case messageID(MessageIDs, Range<Int>)
        /// The body.
        case body(PersonalBody, MessageIDs?)
        /// The body, sealed for the device, and the path.
        case sealed(SealedBody, PersonalBody?, MessageIDs?)
        /// No request: sealing is not possible here.
        case unsealed
    }

    /// Prepares what the requests of a shard share.
    package init(_ requests: PreparedRequests, _ shard: Shard, account: LoadedAccount) {
        self.requests = requests
        let headers = PreparedHeaders(requests)
        self.headers = headers
        (idRange, firstAt, lastAt) = (requests.idRange, requests.idRange.upperBound, requests.lastAt)
        endsWithBody = requests.endsWithBody
        tokenIsField = requests.tokenIsField
        template = .allocate(byteCount: requests.template.count, alignment: 16)
        template.copyBytes(from: requests.template)
        let batch = shard.devices
        tokens = .allocate(byteCount: batch.tokens.count, alignment: 16)
        tokens.copyBytes(from: batch.tokens)
        tokenBounds = .allocate(capacity: batch.count + 1)
        tokenBounds.initialize(repeating: 0)
        devices = .allocate(capacity: batch.count)
        devices.initialize(repeating: 0)
        for position in 0..<batch.count {
            tokenBounds[position + 1] = batch.tokenRange(at: position).upperBound
            devices[position] = shard.deviceIndex(at: position)
        }
        let hasMessageID = requests.messageIDAt != nil || shard.facts.messageIDAt != nil
        var messageIDs: MessageIDs?
        if hasMessageID, let keys = account.messageKeys { messageIDs = MessageIDs(shard, devices, account.app, keys) }
        let personal = requests.personal.map { PersonalBody($0, requests, headers, batch) }
        if let rule = requests.seal {
            own = (try? SealedBody(rule)).map { .sealed($0, personal, messageIDs) } ?? .unsealed
        } else if let personal {
            own = .body(personal, messageIDs)
        } else if let messageIDs, let offset = requests.messageIDAt {
            own = .messageID(messageIDs, offset..<offset + MessageIDPlaceholder.byteCount)
        } else {
            own = .nothing
        }
    }

    deinit {
        template.deallocate()
        tokens.deallocate()
        tokenBounds.deallocate()
        devices.deallocate()
    }

    /// Writes one device's request; returns false when it gets none, for the reason in `leftOut`.
    package func write(_ position: Int, _ request: inout RequestWriter) -> Bool {
        let token = UnsafeRawBufferPointer(rebasing: tokens[tokenBounds[position]..<tokenBounds[position + 1]])
        let device = devices[position]
        switch own {
        case .nothing:
            request.setHeaders(headers)
            _ = copy(&request, token, device)
        case .messageID(let messageIDs, let range):
            request.setHeaders(headers)
            let room = copy(&request, token, device)
            messageIDs.write(position, device, into: UnsafeMutableRawBufferPointer(rebasing: room[range]))
        case .body(let body, let messageIDs):
            leftOut = body.render(position)
            if leftOut != nil { return false }
            request.setHeaders(body.headers)
            _ = copy(&request, token, device)
            if let messageIDs, let buffer = body.messageID { messageIDs.write(position, device, into: buffer) }
            guard endsWithBody else {
                request.setBody(body.bytes)
                break
            }
            let (count, tail) = (body.bytes.count, requests.tail(tokenBytes: token.count))
            request.setBody(capacity: count + tail) { room in
                room.copyMemory(from: body.bytes)
                requests.writeTail(UnsafeMutableRawBufferPointer(rebasing: room[count...]), token: token)
                return count + tail
            }
        case .sealed(let seal, let body, let messageIDs):
            leftOut = sealed(seal, body, messageIDs, position, &request)
            return leftOut == nil
        case .unsealed:
            leftOut = .notSealed
            return false
        }
        return true
    }

    /// Writes a request with a sealed body; returns the reason when there is none.
    private func sealed(
        _ seal: SealedBody,
        _ body: PersonalBody?,
        _ messageIDs: MessageIDs?,
        _ position: Int,
        _ request: inout RequestWriter
    ) -> LeftOut? {
        if let failure = body?.render(position) { return failure }
        let token = UnsafeRawBufferPointer(rebasing: tokens[tokenBounds[position]..<tokenBounds[position + 1]])
        let device = devices[position]
        if let messageIDs, let buffer = body?.messageID { messageIDs.write(position, device, into: buffer) }
        let text = body?.bytes ?? UnsafeRawBufferPointer(rebasing: template[lastAt...])
        request.setHeaders(body?.headers ?? headers)
        return seal.write(&request, token: token, count: text.count) { room in
            room.copyMemory(from: text)
            guard body == nil, let messageIDs, let offset = requests.messageIDAt.map({ $0 - lastAt }) else { return }
            let characters = offset..<offset + MessageIDPlaceholder.byteCount
            messageIDs.write(position, device, into: UnsafeMutableRawBufferPointer(rebasing: room[characters]))
        }
    }

    @inline(__always)
    private func copy(
        _ request: inout RequestWriter,
        _ token: UnsafeRawBufferPointer,
        _ device: UInt32
    ) -> UnsafeMutableRawBufferPointer {
        let tail = requests.tail(tokenBytes: token.count)
        let end = template.count + tail
        let (first, last) = (firstAt..<lastAt, lastAt..<(tokenIsField ? template.count : end))
        let room = request.copy(
            UnsafeRawBufferPointer(template),
            tail: tail,
            perRequest: tokenIsField ? template.count..<end : idRange,
            path: endsWithBody ? first : last,
            body: endsWithBody ? last : first
        )
        requests.fill(room, token: token, device: device)
        return room
    }
}

/// Writes the message ids of a shard's devices.
private final class MessageIDs {
    private let signer: MessageIDSigner
    private let codes: UnsafeMutableBufferPointer<UInt64>

    init(_ shard: Shard, _ devices: UnsafeMutableBufferPointer<UInt32>, _ app: String, _ keys: MessageKeys) {
        signer = MessageIDSigner(app: app, campaign: shard.id.key.campaign, keys: keys)
        codes = .allocate(capacity: devices.count)
        _ = codes.initialize(fromContentsOf: signer.codes(of: Array(devices)))
    }

    deinit { codes.deallocate() }

    @inline(__always)
    func write(_ position: Int, _ device: UInt32, into buffer: UnsafeMutableRawBufferPointer) {
        signer.write(device: device, code: codes[position], into: buffer)
    }
}

extension PreparedHeaders {
    /// Creates the wire form of a provider's prepared headers.
    ///
    /// `other`: a field whose value is replaced.
    convenience init(_ requests: PreparedRequests, replacing other: [UInt8] = [], with replacement: [UInt8] = []) {
        var fields: [HeaderField] = []
        var authority = ""
        var perRequestName: String?
        for header in requests.headers {
            let name = String(decoding: header.name, as: UTF8.self)
            switch header.value {
            case .path: continue
            case .id, .token: perRequestName = name
            case .constant(let value):
                if name == ":authority" {
                    authority = String(decoding: value, as: UTF8.self)
                } else if !name.hasPrefix(":") {
                    let value = header.name == other ? replacement : value
                    fields.append(HeaderField(name: header.name, value: value, indexing: header.indexing.onTheWire))
                }
            }
        }
        self.init(authority: authority, fields: fields, perRequestName: perRequestName)
    }
}

extension RequestHeader.Indexing {
    fileprivate var onTheWire: HeaderField.Indexing {
        switch self {
        case .indexed, .literal: .indexed
        case .never: .never
        case .neverAfterFirst: .nameOnly
        }
    }
}
