import Campaigns
import PushProviders

extension FuzzTarget {
    /// Reads a text: it is no subscription, or is stored in one form in which a sender finds its keys and path.
    static func subscription(_ input: [UInt8]) {
        let form = WebPushProvider().tokens
        guard let reading = input.withUnsafeBufferPointer({ form.token($0) }) else {
            _ = form.fix(for: String(decoding: input, as: UTF8.self))
            return
        }
        precondition(form.token(reading.text) == reading, "two forms of one subscription")
        let token = form.bytes(of: reading.text)
        precondition(form.text(of: token) == reading.text, "shown differently from how it is kept")
        guard let origin = reading.environment?.rawValue, let server = ProviderEndpoint(url: origin) else {
            preconditionFailure("a subscription without a push service")
        }
        precondition(server.url == origin && reading.text.hasPrefix(origin + "/"), "another host than the endpoint's")
        var keys = [UInt8](repeating: 0, count: SealRule.keyBytes)
        let path = token.withUnsafeBytes { token in keys.withUnsafeMutableBytes { seal.read(token, $0) } }
        guard let path else { preconditionFailure("a subscription that nothing can be sealed for") }
        precondition(keys[SealRule.publicKey].first == 4, "not the key that was given")
        // It becomes a header's value: nothing in it ends a line, and nothing follows the endpoint.
        precondition(path.lowerBound == origin.utf8.count && token[path.upperBound] == UInt8(ascii: "#"), "cut wrongly")
        precondition(token[path].allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") }, "no path")
    }

    /// The reader of stored tokens for a sender.
    private static let seal: SealRule = {
        let settings = WebPushSettings(subject: "mailto:push@example.com", publicKey: "", privateKeyFile: "")
        let facts = Shard.Facts(
            app: "news",
            campaignID: "fuzz",
            provider: WebPushProvider().name,
            environment: nil,
            policy: DeliveryPolicy(maxAttempts: 1),
            pushType: .alert,
            priority: 10,
            expiresAt: Timestamp(milliseconds: 0),
            collapseID: "",
            payload: []
        )
        let requests = WebPushAccount(settings: settings)
            .requests(for: facts, authorization: nil, now: Timestamp(milliseconds: 0))
        guard let seal = requests.seal else { preconditionFailure("messages to browsers are not sealed") }
        return seal
    }()
}
