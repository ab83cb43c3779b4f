public import Campaigns

/// One app of `apps.yaml` with the credentials of its providers.
public struct AppConfiguration: Sendable {
    /// The app's name: the `app` of jobs and the routing key.
    public let name: String
    /// The locale of devices that say none, a BCP 47 tag.
    public let defaultLocale: String?
    /// The zone of devices that say none, an IANA name.
    public let timeZone: String?
    /// How to reach Apple's push service for it.
    public let apns: APNsConfiguration?
    /// The events that are published only for apps that ask.
    public let events: Set<RequestedEvent>

    /// Events that not every app wants (contract, section 2).
    public enum RequestedEvent: String, Sendable, CaseIterable {
        case shardSettled = "shard.settled"
        case deviceInvalid = "device.invalid"
    }
}

/// The `apns` block of an app.
public struct APNsConfiguration: Sendable {
    /// The app's bundle id; push types add their suffix.
    public let topic: String
    /// Who we are to Apple.
    public let credential: Credential
    /// The world of devices that say none.
    public let environment: PushEnvironment
    /// A gateway of one's own; nil is Apple.
    public let endpoint: Endpoint?
    /// The CA of that gateway, as PEM; nil is the system's.
    public let certificateAuthority: Secret?

    /// Token or certificate authentication.
    public enum Credential: Sendable {
        /// A `.p8` key of a team: a token signed with ES256.
        case key(teamID: String, keyID: String, pem: Secret)
        /// A client certificate and its key, both PEM.
        case certificate(certificate: Secret, privateKey: Secret)
    }

    /// Host and port of an `https` URL.
    public struct Endpoint: Sendable, Equatable {
        /// The host as written.
        public let host: String
        /// 1 … 65,535; 443 when the URL has none.
        public let port: Int
    }
}

/// Bytes that no log, no message and no debugger's summary prints.
public struct Secret: Sendable, CustomStringConvertible, CustomReflectable {
    /// The bytes.
    public let bytes: [UInt8]
    /// The file that they came from, for messages.
    public let source: String

    /// Keeps the bytes of a file to itself.
    public init(_ bytes: [UInt8], source: String) {
        self.bytes = bytes
        self.source = source
    }

    /// Where it came from; never the content.
    public var description: String { "*** (\(source))" }

    /// Never the content.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
