import Campaigns
import Delivery
import HTTP2
import PushProviders

/// A shard that an event loop sends, with everything prepared that its requests share.
///
/// Confined to its loop.
final class ActiveRun {
    var run: ShardRun
    let tokens: [UInt8]
    private(set) var requests: PreparedRequests
    private(set) var headers: PreparedHeaders
    /// What writes the devices' message ids, and where; nil when pushes carry none.
    private var messageIDs: (signer: MessageIDSigner, place: Int)?
    /// Whose connections carry its requests; nil when no requests can be made.
    ///
    /// Not weak: that would move the sender's reference count, which every request touches, into a side table. The
    /// sender holds no run.
    var sender: EndpointSender?
    /// How many of the run's unsaved answers the loop has counted as unflushed.
    var counted = 0
    /// Whether another run of its shard has begun, so that only its open streams are waited for.
    var isForgotten = false
    /// Whether its end was reported to the desk.
    var isReported = false
    /// Whether a reason to pause its campaign was reported.
    var isRefusalReported = false

    init(run: ShardRun, requests: PreparedRequests, account: LoadedAccount) {
        self.run = run
        self.requests = requests
        tokens = run.shard.devices.tokens
        headers = PreparedHeaders(requests)
        messageIDs = account.messageIDs(of: run.shard, in: requests)
    }

    /// Goes on with another credential, on the connections of its sender.
    func move(to sender: EndpointSender) {
        self.sender = sender
        requests = sender.requests(for: run.shard.facts)
        headers = PreparedHeaders(requests)
        messageIDs = sender.account.messageIDs(of: run.shard, in: requests)
    }

    /// Writes one device's request.
    func write(_ position: Int, _ request: inout RequestWriter) {
        let requests = self.requests
        let range = run.shard.devices.tokenRange(at: position)
        let device = run.shard.deviceIndex(at: position)
        let length = requests.pathByteCount(tokenBytes: range.count)
        request.setHeaders(headers)
        request.setPath(capacity: length) { buffer in
            tokens.withUnsafeBufferPointer { all in
                requests.writePath(token: UnsafeBufferPointer(rebasing: all[range]).span, into: buffer)
            }
        }
        request.setPerRequestValue(capacity: RequestID.byteCount) { buffer in
            requests.writeID(device: device, into: buffer)
        }
        guard let messageIDs else { return requests.body.withUnsafeBytes { request.setBody($0) } }
        request.setBody(capacity: requests.body.count) { buffer in
            buffer.copyBytes(from: requests.body)
            messageIDs.signer.write(
                device: device,
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[messageIDs.place...])
            )
            return buffer.count
        }
    }
}

extension LoadedAccount {
    fileprivate func messageIDs(
        of shard: Shard,
        in requests: PreparedRequests
    ) -> (signer: MessageIDSigner, place: Int)? {
        guard let place = requests.messageIDAt, let messageKeys else { return nil }
        return (MessageIDSigner(app: app, campaign: shard.id.key.campaign, keys: messageKeys), place)
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
