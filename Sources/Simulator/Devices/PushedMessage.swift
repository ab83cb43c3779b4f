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
    /// The time of acceptance, in milliseconds since 1970.
    let acceptedAt: Int64
    /// The time of expiry, in milliseconds since 1970; equal to `acceptedAt` for "now or never".
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
}

extension PushedMessage {
    /// Creates a message of FCM.
    ///
    /// Notification messages are always collapsible; without a key of their own, the app's package is their key
    /// (Firebase, non-collapsible and collapsible messages).
    init(_ message: FCMMessage, id: String, now: Int64) {
        let key = message.collapseKey ?? (message.isNotification ? "" : nil)
        self.init(
            id: id,
            acceptedAt: now,
            expiresAt: now + message.timeToLiveSeconds * 1000,
            storage: key.map { .replacing($0) } ?? .piling,
            isShown: message.isNotification,
            displayKey: message.tag,
            title: message.title,
            body: message.body
        )
    }

    /// Creates a notification of APNs from a request that the rules have passed.
    ///
    /// One notification per app is stored; without `apns-expiration` it is kept for 30 days (Apple, "Sending
    /// notification requests to APNs").
    init(_ request: borrowing ProviderRequest, id: String, now: Int64) {
        let payload = try? JSONNode(parsing: request.body[...])
        let alert = payload?["aps"]?["alert"]
        let expiration = request[.expiration].flatMap(APNsRules.decimal)
        let collapseID = request.text(.collapseID)
        self.init(
            id: id,
            acceptedAt: now,
            expiresAt: expiration.map { $0 == 0 ? now : $0 * 1000 } ?? now + 30 * 86_400_000,
            storage: .replacing(request.text(.topic) ?? ""),
            isShown: alert != nil,
            displayKey: collapseID,
            title: alert?["title"]?.string,
            body: alert?["body"]?.string ?? alert?.string,
            payload: String(validating: request.body, as: UTF8.self)
        )
    }

    /// Creates a message of Web Push as the site's service worker reads it.
    ///
    /// The plaintext is JSON with a `title` and a `body`, at the top or in a `notification`; any other text is the
    /// body.
    ///
    /// `plaintext` is nil if the browser cannot decrypt the message; then it shows nothing.
    init(_ headers: WebPushHeaders, plaintext: [UInt8]?, id: String, now: Int64) {
        // Anything that is not JSON is text.
        let document = plaintext.flatMap { try? JSONNode(parsing: $0[...]) }
        let notification = document?["notification"] ?? document
        self.init(
            id: id,
            acceptedAt: now,
            expiresAt: now + headers.timeToLiveSeconds * 1000,
            storage: headers.topic.map { .replacing($0) } ?? .piling,
            isShown: plaintext != nil,
            displayKey: notification?["tag"]?.string,
            title: notification?["title"]?.string,
            body: notification?["body"]?.string
                ?? (document == nil ? plaintext.map { String(decoding: $0, as: UTF8.self) } : nil)
        )
    }
}
