/// The permissions in the simulated world: the data of Google's console.
public struct FCMAccess: Sendable {
    /// The public half of a service account.
    public struct Account: Sendable {
        /// The `iss` of its assertions.
        public let clientEmail: String
        /// The `kid` of its assertions, if they name one.
        public let keyID: String
        /// The public key as PEM ("BEGIN PUBLIC KEY").
        public let publicKeyPEM: [UInt8]
    }

    /// The project that messages are sent for.
    public var project = "fanfare-simulator"
    /// The accounts that may send for the project, besides the identity's own.
    public var accounts: [Account] = []
    /// The most messages per minute to a device; Firebase, throttling and quotas: 240.
    public var devicePerMinute = 240
    /// The most messages per hour to a device; Firebase, throttling and quotas: 5,000.
    public var devicePerHour = 5000

    /// Creates the configuration with Google's limits.
    public init() {}
}
