/// A broadcast channel of an app: our name for the id that Apple gave it.
public struct BroadcastChannel: Sendable, Equatable {
    /// The app.
    public var app: String
    /// Our name, 1–128 of `[A-Za-z0-9._:-]`, unique within the app.
    public var name: String
    /// Apple's id, which devices subscribe to.
    public var id: String
    /// The environment; Apple shares no channel between its two.
    public var environment: PushEnvironment
    /// The channel's storage policy, which Apple never changes.
    public var storage: Storage
    /// The instant at which the ledger got it.
    public var createdAt: Timestamp

    /// Creates a channel from checked values.
    public init(
        app: String,
        name: String,
        id: String,
        environment: PushEnvironment,
        storage: Storage,
        createdAt: Timestamp
    ) {
        (self.app, self.name, self.id) = (app, name, id)
        (self.environment, self.storage, self.createdAt) = (environment, storage, createdAt)
    }

    /// The messages that Apple keeps for followers that are offline.
    public enum Storage: String, Sendable, CaseIterable {
        /// No message; Apple accepts the most updates on such a channel.
        case nothing = "none"
        /// The latest message, for at most eight hours.
        case latest

        /// Apple's number for the policy.
        public var number: Int { self == .nothing ? 0 : 1 }

        /// Reads Apple's number; nil for any other.
        public init?(number: Int64) {
            guard let storage = Storage.allCases.first(where: { Int64($0.number) == number }) else { return nil }
            self = storage
        }
    }

    /// The channel in the place of an audience's only device.
    public var device: Device { Device(token: id, provider: .broadcast, environment: environment, id: name) }
}
