import Campaigns

/// Browsers' subscriptions as tokens; the origin of the endpoint is their environment.
struct WebPushTokenForm: TokenForm {
    var provider: ProviderName { .webpush }
    var rule: String {
        "a token of webpush is what JSON.stringify(subscription) gives, with an endpoint of https and its keys"
    }
    var isHexadecimal: Bool { false }
    var environments: [PushEnvironment] { [] }

    func token(_ text: UnsafeBufferPointer<UInt8>) -> TokenReading? {
        guard let subscription = WebPushSubscription(text) else { return nil }
        return TokenReading(text: subscription.text, environment: PushEnvironment(rawValue: subscription.origin))
    }

    func fix(for text: String) -> String? {
        if text.hasPrefix("https://"), !text.contains("#") {
            return "the endpoint alone is not enough: give the keys as well"
        }
        if text.hasPrefix("{"), !text.contains("p256dh") {
            return "it has no keys: give all of JSON.stringify(subscription)"
        }
        return text.contains("http://") ? "the endpoint is not https" : nil
    }
}

extension ProviderName {
    /// Web Push (RFC 8030).
    static let webpush = ProviderName(rawValue: "webpush")
}
