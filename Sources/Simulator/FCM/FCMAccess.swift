/// Who may send where in the simulated world: what Google's console knows.
public struct FCMAccess: Sendable {
    /// The public half of a service account.
    public struct Account: Sendable {
        /// The `iss` of its assertions.
        public let clientEmail: String
        /// The `kid` of its assertions, where they name one.
        public let keyID: String
        /// The public key as PEM ("BEGIN PUBLIC KEY").
        public let publicKeyPEM: [UInt8]

        /// Registers an account.
        public init(clientEmail: String, keyID: String, publicKeyPEM: [UInt8]) {
            self.clientEmail = clientEmail
            self.keyID = keyID
            self.publicKeyPEM = publicKeyPEM
        }
    }

    /// The project that messages are sent for.
    public var project = "fanfare-simulator"
    /// The accounts that may send for it, besides the identity's own.
    public var accounts: [Account] = []
    /// Messages that a device is sent a minute at most; Firebase, throttling and quotas: 240.
    public var devicePerMinute = 240
    /// Messages that a device is sent an hour at most; Firebase, throttling and quotas: 5,000.
    public var devicePerHour = 5000

    /// Google's limits.
    public init() {}
}
