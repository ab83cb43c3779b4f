package import Campaigns
package import Delivery
import Store
package import TLS

/// A webhook of `apps.yaml` with everything needed to post to it.
package struct Webhook: Sendable {
    /// The URL that its events are posted to.
    package let url: WebhookURL
    /// The events that it gets.
    package let kinds: EventKinds
    /// The secrets that sign its requests.
    package let secrets: WebhookSecrets
    /// The authority that TLS trusts (`ca_file`); nil is the system's.
    let authority: Secret?

    /// The webhook in the ledger's form.
    var entry: WebhookEntry {
        let parts = [secrets.digest, SHA256.digest(authority?.bytes ?? [])]
        return WebhookEntry(url: url.text, kinds: kinds, digest: SHA256.digest(parts.flatMap(\.self)))
    }

    /// The authorities trusted for the host.
    package var trust: TLSClientContext.Trust {
        authority.map { .authorities(pem: $0.bytes, source: $0.source) } ?? .system
    }

    /// Returns the id of an event for the receiver (`webhook-id`): the same at every try, and for the same event in a
    /// ledger that was restored from a backup.
    package static func id(of body: [UInt8]) -> String {
        "evt_" + Hexadecimal.text(SHA256.digest(body).prefix(16))
    }

    /// Returns the header fields of a request (Standard Webhooks), besides those of every HTTP request.
    package func headers(id: String, body: [UInt8], now: Timestamp) -> [(name: String, value: String)] {
        let timestamp = now.seconds
        return [
            ("content-type", CampaignEvent.contentType), ("user-agent", "fanfare"), ("webhook-id", id),
            ("webhook-timestamp", "\(timestamp)"),
            ("webhook-signature", secrets.signature(id: id, timestamp: timestamp, body: body)),
        ]
    }
}
