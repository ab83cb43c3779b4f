extension PushedMessage {
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
            expiresAt: now + headers.timeToLiveSeconds * 1000,
            storage: headers.topic.map { .replacing($0) } ?? .piling,
            isShown: plaintext != nil,
            displayKey: notification?["tag"]?.string,
            title: notification?["title"]?.string,
            body: notification?["body"]?.string
                ?? (document == nil ? plaintext.map { String(decoding: $0, as: UTF8.self) } : nil),
            payload: document == nil ? nil : plaintext.map { String(decoding: $0, as: UTF8.self) }
        )
    }
}
