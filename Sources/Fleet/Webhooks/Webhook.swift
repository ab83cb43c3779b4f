public import Campaigns
public import Delivery
import Store
import TLS

/// A webhook of `apps.yaml` with everything that is needed to post to it.
public struct Webhook: Sendable {
    /// Where its events go.
    public let url: WebhookURL
    /// Which events it gets.
    public let kinds: EventKinds
    /// What they are signed with.
    public let secrets: WebhookSecrets
    /// Whom TLS trusts (`ca_file`); nil is the system.
    let authority: Secret?

    /// The same for the ledger.
    var entry: WebhookEntry {
        let parts = [secrets.digest, SHA256.digest(authority?.bytes ?? [])]
        return WebhookEntry(url: url.text, kinds: kinds, digest: SHA256.digest(parts.flatMap(\.self)))
    }

    /// By whose word the host is believed.
    var trust: TLSClientContext.Trust {
        authority.map { .authorities(pem: $0.bytes, source: $0.source) } ?? .system
    }

    /// The id of an event for the receiver (`webhook-id`): the same at every try, and for the same event of a ledger that
    /// was restored from a backup.
    static func id(of body: [UInt8]) -> String {
        "evt_" + Hexadecimal.text(SHA256.digest(body).prefix(16))
    }

    /// The fields of a request (Standard Webhooks), besides those of every HTTP request.
    func headers(id: String, body: [UInt8], now: Timestamp) -> [(name: String, value: String)] {
        let timestamp = now.seconds
        return [
            ("content-type", CampaignEvent.contentType), ("user-agent", "fanfare"), ("webhook-id", id),
            ("webhook-timestamp", "\(timestamp)"),
            ("webhook-signature", secrets.signature(id: id, timestamp: timestamp, body: body)),
        ]
    }
}
