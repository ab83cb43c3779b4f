import Campaigns
import HTTP2
import PushProviders

/// The requests of a shard as bytes in memory of their own: for each device one copy and the places that are its own.
///
/// Made once for a shard and credential. Raw memory instead of the shard's arrays, because each look at one of those
/// from a class counts references, which costs as much as writing the request. Confined to its loop.
final class RequestTemplate {
    let headers: PreparedHeaders
    private let requests: PreparedRequests
    private let idRange: Range<Int>
    private let bodyRange: Range<Int>
    private let template: UnsafeMutableRawBufferPointer
    private let tokens: UnsafeMutableRawBufferPointer
    /// Where each device's token begins, and where the last one ends.
    private let tokenBounds: UnsafeMutableBufferPointer<Int>
    private let devices: UnsafeMutableBufferPointer<UInt32>
    private let messageIDs: MessageIDs?

    /// What writes the devices' message ids, and where.
    private struct MessageIDs {
        let signer: MessageIDSigner
        let place: Range<Int>
        let codes: UnsafeMutableBufferPointer<UInt64>
    }

    init(_ requests: PreparedRequests, _ shard: Shard, account: LoadedAccount) {
        self.requests = requests
        headers = PreparedHeaders(requests)
        (idRange, bodyRange) = (requests.idRange, requests.bodyRange)
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
        guard let place = requests.messageIDAt, let keys = account.messageKeys else {
            messageIDs = nil
            return
        }
        let signer = MessageIDSigner(app: account.app, campaign: shard.id.key.campaign, keys: keys)
        let codes = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: batch.count)
        _ = codes.initialize(fromContentsOf: signer.codes(of: Array(devices)))
        messageIDs = MessageIDs(signer: signer, place: place..<place + MessageIDPlace.byteCount, codes: codes)
    }

    deinit {
        template.deallocate()
        tokens.deallocate()
        tokenBounds.deallocate()
        devices.deallocate()
        messageIDs?.codes.deallocate()
    }

    /// Writes one device's request.
    func write(_ position: Int, _ request: inout RequestWriter) {
        let token = UnsafeRawBufferPointer(rebasing: tokens[tokenBounds[position]..<tokenBounds[position + 1]])
        let device = devices[position]
        request.setHeaders(headers)
        let room = request.copy(
            UnsafeRawBufferPointer(template),
            perRequest: idRange,
            body: bodyRange,
            pathTail: requests.pathTail(tokenBytes: token.count)
        )
        requests.fill(room, token: token, device: device)
        if let messageIDs {
            let place = UnsafeMutableRawBufferPointer(rebasing: room[messageIDs.place])
            messageIDs.signer.write(device: device, code: messageIDs.codes[position], into: place)
        }
    }
}

extension PreparedHeaders {
    /// The wire's form of what a provider prepared.
    fileprivate convenience init(_ requests: PreparedRequests) {
        var fields: [HeaderField] = []
        var authority = ""
        var perRequestName: String?
        for header in requests.headers {
            let name = String(decoding: header.name, as: UTF8.self)
            switch header.value {
            case .path: continue
            case .id: perRequestName = name
            case .constant(let value):
                if name == ":authority" {
                    authority = String(decoding: value, as: UTF8.self)
                } else if !name.hasPrefix(":") {
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
