public import TLS

/// Subscriptions as browsers make them, each derived from a seed and its number: millions need no storage.
public struct WebPushSubscriptions: Sendable {
    /// What a browser hands to its application.
    public struct Subscription: Sendable, Equatable {
        /// Where messages are posted.
        public let endpoint: String
        /// The browser's public key, a point of 65 bytes as base64url.
        public let p256dh: String
        /// The authentication secret, 16 bytes as base64url.
        public let auth: String

        /// The subscription as one JSON object, in the form of the browsers' `PushSubscription`.
        public var json: String {
            "{\"endpoint\":\(JSONNode.quoted(endpoint)),\"keys\":{\"p256dh\":\"\(p256dh)\",\"auth\":\"\(auth)\"}}"
        }
    }

    private let seed: UInt64

    /// The subscriptions of a simulator that was started with `seed`.
    public init(seed: UInt64) { self.seed = seed }

    /// Subscription `number` at the simulator with this origin, such as `https://127.0.0.1:8445`.
    ///
    /// Costs one multiplication on the curve. Throws only when OpenSSL fails.
    public func subscription(_ number: UInt64, origin: String) throws(TLSError) -> Subscription {
        let opener = try opener(number)
        func text(_ bytes: [UInt8]) -> String { String(decoding: Base64URL.encode(bytes), as: UTF8.self) }
        return Subscription(
            endpoint: "\(origin)/push/\(id(number))",
            p256dh: text(opener.publicKey),
            auth: text(opener.authentication)
        )
    }

    /// The last part of an endpoint's path: the number and a mark that shows that it was not made up.
    func id(_ number: UInt64) -> String {
        let mark = Mixing.mix(number ^ Mixing.mix(seed ^ 0x7765_6270_7573_6800))
        return [number, mark].map { word in
            Hexadecimal.text(withUnsafeBytes(of: word.bigEndian) { Array($0) })
        }.joined()
    }

    /// The number of an id; nil for one that this simulator never gave.
    func number(ofID text: ArraySlice<UInt8>) -> UInt64? {
        guard text.count == 32, let number = UInt64(String(decoding: text.prefix(16), as: UTF8.self), radix: 16),
            text.elementsEqual(id(number).utf8)
        else { return nil }
        return number
    }

    /// The browser's side of a subscription.
    func opener(_ number: UInt64) throws(TLSError) -> MessageOpener {
        let authentication = Array(digest("auth", number).prefix(WebPushMessage.authenticationBytes))
        return try MessageOpener(privateKey: digest("private key", number), authentication: authentication)
    }

    /// 32 bytes; one of 2³² of them is above the curve's order and no private key, which no run will meet.
    private func digest(_ what: String, _ number: UInt64) -> [UInt8] {
        var bytes = Array("fanfare subscription \(what)".utf8)
        for word in [seed, number] { withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) } }
        return SHA256.digest(bytes)
    }
}
