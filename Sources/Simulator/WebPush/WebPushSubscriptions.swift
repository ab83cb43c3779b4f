public import TLS

/// Browser subscriptions, each derived from a seed and its number, so that millions need no storage.
public struct WebPushSubscriptions: Sendable {
    /// The subscription data that a browser hands to its application.
    public struct Subscription: Sendable, Equatable {
        /// The URL that messages are posted to.
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

    /// Creates the subscriptions of a simulator that was started with `seed`.
    public init(seed: UInt64) { self.seed = seed }

    /// Returns subscription `number` at the simulator with this origin, such as `https://127.0.0.1:8445`.
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

    /// Returns the last part of an endpoint's path: the number and a code that proves that it was not made up.
    func id(_ number: UInt64) -> String {
        let mark = Mixing.mix(number ^ Mixing.mix(seed ^ 0x7765_6270_7573_6800))
        return [number, mark].map { word in
            Hexadecimal.text(withUnsafeBytes(of: word.bigEndian) { Array($0) })
        }.joined()
    }

    /// Returns the number of an id; nil if this simulator never issued it.
    func number(ofID text: ArraySlice<UInt8>) -> UInt64? {
        guard text.count == 32, let number = UInt64(String(decoding: text.prefix(16), as: UTF8.self), radix: 16),
            text.elementsEqual(id(number).utf8)
        else { return nil }
        return number
    }

    /// Returns the browser's side of a subscription.
    func opener(_ number: UInt64) throws(TLSError) -> MessageOpener {
        let authentication = Array(digest("auth", number).prefix(WebPushMessage.authenticationBytes))
        return try MessageOpener(privateKey: digest("private key", number), authentication: authentication)
    }

    /// Derives 32 bytes.
    ///
    /// One value in 2³² is above the curve's order and no private key; in practice no run meets it.
    private func digest(_ what: String, _ number: UInt64) -> [UInt8] {
        var bytes = Array("fanfare subscription \(what)".utf8)
        for word in [seed, number] { withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) } }
        return SHA256.digest(bytes)
    }
}
