public import Campaigns

/// Apple's management of an app's broadcast channels: what its requests look like (`push-protocols.md`, C1.9).
public struct ChannelService: Sendable {
    /// The most channels that Apple keeps for an app in one environment.
    public static let channelsMax = 10_000

    /// The bundle id, without the suffix of a push type.
    let bundleID: String
    /// The environment of a channel whose maker names none.
    public let environment: PushEnvironment
    /// A private gateway in place of Apple's hosts, which plays them all; nil for Apple's.
    let gateway: ProviderEndpoint?

    /// A question or an order about channels.
    public enum Order: Equatable, Sendable {
        /// Make a channel; Apple chooses its id.
        case create(BroadcastChannel.Storage)
        /// Read a channel's storage policy.
        case read(id: String)
        /// Remove a channel for good.
        case delete(id: String)
        /// List the ids of all channels.
        case list

        var method: String {
            switch self {
            case .create: "POST"
            case .read, .list: "GET"
            case .delete: "DELETE"
            }
        }
    }

    /// The bytes of a request.
    public struct Request: Equatable, Sendable {
        /// The method.
        public var method: String
        /// The path.
        public var path: String
        /// The header fields besides the pseudo fields, with the credential.
        public var fields: [RequestHeader]
        /// The body; empty for none.
        public var body: [UInt8]
    }

    /// Returns the endpoint for an environment: Apple's own host and port, or the private gateway, which plays both.
    public func endpoint(_ environment: PushEnvironment) -> ProviderEndpoint {
        if let gateway { return gateway }
        return environment == .sandbox
            ? ProviderEndpoint(host: "api-manage-broadcast.sandbox.push.apple.com", port: 2195)
            : ProviderEndpoint(host: "api-manage-broadcast.push.apple.com", port: 2196)
    }

    /// Returns the request of an order; `authorization` is the header's value from the holder of the credential.
    public func request(_ order: Order, authorization: [UInt8]?) -> Request {
        var (fields, body) = ([RequestHeader](), [UInt8]())
        var path = "/1/apps/\(bundleID)/channels"
        switch order {
        case .create(let storage):
            body = JSONWriter.bytes([
                "message-storage-policy": .number(JSONNumber(storage.number)), "push-type": "LiveActivity",
            ])
            fields.append(RequestHeader("content-type", "application/json"))
        case .read(let id), .delete(let id): fields.append(RequestHeader("apns-channel-id", id))
        case .list: path = "/1/apps/\(bundleID)/all-channels"
        }
        if let authorization { fields.append(RequestHeader("authorization", .constant(authorization), .never)) }
        return Request(method: order.method, path: path, fields: fields, body: body)
    }
}
