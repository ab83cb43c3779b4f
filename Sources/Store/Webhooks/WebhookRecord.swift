public import Campaigns
public import Delivery

/// A webhook as `apps.yaml` has it, without its secrets.
public struct WebhookEntry: Sendable, Equatable {
    /// Where its events go; one of an app has it once.
    public var url: String
    /// Which events it gets.
    public var kinds: EventKinds
    /// Tells this configuration from another of the same address; no secret can be read from it.
    public var digest: [UInt8]

    /// An entry.
    public init(url: String, kinds: EventKinds, digest: [UInt8]) {
        self.url = url
        self.kinds = kinds
        self.digest = digest
    }
}

/// A webhook as the ledger has it.
public struct WebhookRecord: Sendable, Equatable {
    /// Its number.
    public var number: Int64
    /// The app.
    public var app: String
    /// Where its events go.
    public var url: String
    /// Which events it gets.
    public var kinds: EventKinds
    /// How it is.
    public var state: WebhookState
    /// Events that wait for it.
    public var waiting: Int
    /// When the first of them happened.
    public var waitingSince: Timestamp?
}

/// An event that waits for a webhook.
public struct WebhookEvent: Sendable, Equatable {
    /// Its place: they go out in this order.
    public var sequence: Int64
    /// CloudEvents JSON; the same at every try.
    public var body: [UInt8]
}
