/// A message as the provider holds it for a device.
struct PushedMessage: Equatable {
    /// What a message may take the place of while it waits.
    enum Storage: Equatable {
        /// It takes the place of the waiting one with the same key.
        case replacing(String)
        /// It waits beside all others.
        case piling
    }

    let id: String
    /// Milliseconds since 1970.
    let acceptedAt: Int64
    /// When it is no longer worth delivering, in milliseconds since 1970; equal to `acceptedAt` for "now or never".
    let expiresAt: Int64
    let storage: Storage
    /// The person sees it without the app's doing; otherwise the app gets it.
    let isShown: Bool
    /// On the screen it takes the place of what has the same key; nil for a place of its own.
    let displayKey: String?
    let title: String?
    let body: String?
    /// The JSON that the app gets; nil where only a part of the message is kept.
    var payload: String?
}

extension PushedMessage {
    /// A message of FCM.
    ///
    /// Notification messages are always collapsible; the app's package is their key without one of
    /// their own (Firebase, non-collapsible and collapsible messages).
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

    /// A notification of APNs, whose rules have passed it.
    ///
    /// One of each app is stored; without `apns-expiration` it is
    /// kept for 30 days (Apple, "Sending notification requests to APNs").
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

    /// A message of Web Push as the site's service worker reads it: JSON with a `title` and a `body`, by themselves or in a
    /// `notification`, or all of it as text.
    ///
    /// `plaintext` is nil for what the browser cannot read: it shows nothing.
    init(_ headers: WebPushHeaders, plaintext: [UInt8]?, id: String, now: Int64) {
        // What is no JSON is text.
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
