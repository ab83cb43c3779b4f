/// A message that the provider holds for a device.
struct PushedMessage: Equatable {
    /// The relation of a waiting message to others.
    enum Storage: Equatable {
        /// It replaces the waiting message with the same key.
        case replacing(String)
        /// It waits beside all others.
        case piling
    }

    let id: String
    /// The time of expiry, in milliseconds since 1970; the time of acceptance for "now or never".
    let expiresAt: Int64
    let storage: Storage
    /// True if the system shows the message; otherwise the app receives it.
    let isShown: Bool
    /// The key of the message that it replaces on the screen; nil for none.
    let displayKey: String?
    let title: String?
    let body: String?
    /// The JSON that the app receives; nil if only a part of the message is kept.
    var payload: String?
    /// The message of a Live Activity, which the system shows in the activity's place; nil for any other.
    var activity: ActivityScreen.Message?
}
