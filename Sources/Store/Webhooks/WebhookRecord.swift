public import Campaigns
public import Delivery

/// A webhook's configuration in `apps.yaml`, without its secrets.
public struct WebhookEntry: Sendable, Equatable {
    /// The address for its events; unique within an app.
    public var url: String
    /// The kinds of events that it gets.
    public var kinds: EventKinds
    /// A digest that identifies this configuration; it reveals no secret.
    public var digest: [UInt8]

    /// An entry.
    public init(url: String, kinds: EventKinds, digest: [UInt8]) {
        self.url = url
        self.kinds = kinds
        self.digest = digest
    }
}

/// A webhook in the ledger.
public struct WebhookRecord: Sendable, Equatable {
    /// The webhook's number.
    public var number: Int64
    /// The app.
    public var app: String
    /// The address for its events.
    public var url: String
    /// The kinds of events that it gets.
    public var kinds: EventKinds
    /// The webhook's state.
    public var state: WebhookState
    /// The number of events that wait for it.
    public var waiting: Int
    /// The instant of the first waiting event.
    public var waitingSince: Timestamp?
}

/// An event that waits for a webhook.
public struct WebhookEvent: Sendable, Equatable {
    /// The position in the order of delivery.
    public var sequence: Int64
    /// The event as CloudEvents JSON; the same at every try.
    public var body: [UInt8]
}
