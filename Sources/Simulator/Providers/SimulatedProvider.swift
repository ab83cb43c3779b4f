/// The providers that can be simulated.
public enum SimulatedProvider: String, Sendable, CaseIterable {
    /// Apple's push service.
    case apns
    /// Firebase Cloud Messaging, the HTTP v1 API.
    case fcm
    /// A Web Push service (RFC 8030).
    case webPush = "webpush"
}
