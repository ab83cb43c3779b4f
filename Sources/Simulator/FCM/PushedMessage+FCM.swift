extension PushedMessage {
    /// Creates a message of FCM.
    ///
    /// Notification messages are always collapsible; without a key of their own, the app's package is their key
    /// (Firebase, non-collapsible and collapsible messages).
    init(_ message: FCMMessage, id: String, now: Int64) {
        let key = message.collapseKey ?? (message.isNotification ? "" : nil)
        self.init(
            id: id,
            expiresAt: now + message.timeToLiveSeconds * 1000,
            storage: key.map { .replacing($0) } ?? .piling,
            isShown: message.isNotification,
            displayKey: message.tag,
            title: message.title,
            body: message.body
        )
    }
}
