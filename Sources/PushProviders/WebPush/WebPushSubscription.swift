import Campaigns

/// A browser's subscription to pushes (W3C Push API, `PushSubscription`): the address of messages and their encryption
/// keys.
///
/// It is a device's token. Producers give the result of `JSON.stringify(subscription)`. The stored and displayed form
/// is shorter, and is accepted wherever a token is read:
///
/// ```
/// https://push.example.net/wpush/v2/gAAAA…#BCVxsr7N…iw4.BTBZMqHH6r4Tts7J_aSIgg
/// ```
///
/// The form is the endpoint, which has no fragment of its own, then `p256dh` and `auth` in base64url without padding.
/// So the keys are always the last 110 characters.
struct WebPushSubscription: Equatable, Sendable {
    /// The address of messages, with scheme and host in lower case and without a port of 443.
    let endpoint: String
    /// The `endpoint` without its path: the app's token is issued for it, and all devices of a shard share it.
    let origin: String
    /// The browser's public key, 65 bytes, in base64url.
    let publicKey: String
    /// The browser's secret, 16 bytes, in base64url.
    let authentication: String

    /// The longest endpoint in characters; services use 130 to 500.
    static let endpointBytesMax = 1024
    /// The lengths of `p256dh` and `auth` in characters.
    static let publicKeyDigits = 87
    static let authenticationDigits = 22
    /// The number of characters after the endpoint: a number sign, the key, a full stop, the secret.
    static let keysBytes = 2 + publicKeyDigits + authenticationDigits
    /// The longest origin in characters; it names an environment (`PushEnvironment`).
    static let originBytesMax = 255

    /// The subscription in its stored form.
    var text: String { "\(endpoint)#\(publicKey).\(authentication)" }

    /// Reads a subscription in either form; nil when the text is none.
    init?(_ text: UnsafeBufferPointer<UInt8>) {
        // Leaves room for members that are ignored.
        guard text.count <= 2 * Self.endpointBytesMax else { return nil }
        if text.first == UInt8(ascii: "{") {
            self.init(json: text)
        } else {
            guard let end = text.lastIndex(of: UInt8(ascii: "#")) else { return nil }
            let keys = text[(end + 1)...].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            guard keys.count == 2 else { return nil }
            self.init(endpoint: text[..<end], publicKey: keys[0], authentication: keys[1])
        }
    }

    /// Reads the JSON form; ignores `expirationTime` and other members that a browser adds.
    private init?(json text: UnsafeBufferPointer<UInt8>) {
        let reading = JSONReader.read(text, limits: JSONReader.Limits(bytesMax: text.count, depthMax: 4))
        guard reading.problems.isEmpty, let endpoint = reading.value?["endpoint"]?.string,
            let keys = reading.value?["keys"], let publicKey = keys["p256dh"]?.string,
            let authentication = keys["auth"]?.string
        else { return nil }
        self.init(endpoint: endpoint.utf8, publicKey: publicKey.utf8, authentication: authentication.utf8)
    }

    private init?(
        endpoint: some Collection<UInt8>,
        publicKey: some Sequence<UInt8>,
        authentication: some Sequence<UInt8>
    ) {
        guard let publicKey = Self.key(publicKey, bytes: 65), publicKey.first == 4,
            let authentication = Self.key(authentication, bytes: 16), endpoint.count <= Self.endpointBytesMax
        else { return nil }
        let scheme = "https://"
        let text = String(decoding: endpoint, as: UTF8.self)
        guard text.prefix(scheme.count).lowercased() == scheme else { return nil }
        let authority = text.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let rest = text.dropFirst(scheme.count + authority.count)
        // Only characters of a path may pass, because it becomes a header's value (RFC 3986, 3.3 and 3.4).
        guard rest.first == "/", rest.utf8.allSatisfy(Self.isPathByte),
            let server = ProviderEndpoint(url: scheme + authority.lowercased()),
            server.url.utf8.count <= Self.originBytesMax
        else { return nil }
        origin = server.url
        self.endpoint = origin + rest
        self.publicKey = String(decoding: Base64URL.encode(publicKey), as: UTF8.self)
        self.authentication = String(decoding: Base64URL.encode(authentication), as: UTF8.self)
    }

    /// Decodes a key; libraries write it in either alphabet of base64, with or without padding.
    private static func key(_ text: some Sequence<UInt8>, bytes: Int) -> [UInt8]? {
        var digits = text.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        while digits.last == UInt8(ascii: "="), digits.count > (bytes * 4 + 2) / 3 { digits.removeLast() }
        return Base64URL.decode(digits).flatMap { $0.count == bytes ? $0 : nil }
    }

    private static func isPathByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        case 0x21, 0x24...0x2f, 0x3a, 0x3b, 0x3d, 0x3f, 0x40, 0x5f, 0x7e: true
        default: false
        }
    }
}

extension WebPushSubscription {
    /// The ranges of a stored token's parts; nil for bytes that are no token, which this code never writes.
    struct Ranges: Equatable {
        /// The path with its query.
        let path: Range<Int>
        /// 87 digits of base64url.
        let publicKey: Range<Int>
        /// 22 digits of base64url.
        let authentication: Range<Int>

        init?(_ token: UnsafeRawBufferPointer) {
            let scheme = "https://".utf8.count
            let end = token.count - WebPushSubscription.keysBytes
            guard end > scheme, token[end] == UInt8(ascii: "#"),
                let start = token[scheme..<end].firstIndex(of: UInt8(ascii: "/"))
            else { return nil }
            path = start..<end
            publicKey = end + 1..<end + 1 + WebPushSubscription.publicKeyDigits
            authentication = publicKey.upperBound + 1..<token.count
        }
    }
}

extension WebPushSubscription {
    /// Reads a stored token for a `SealRule`.
    static func read(_ token: UnsafeRawBufferPointer, _ keys: UnsafeMutableRawBufferPointer) -> Range<Int>? {
        guard let ranges = Ranges(token), keys.count == SealRule.keyBytes,
            decode(token, ranges.publicKey, into: keys, at: SealRule.publicKey),
            decode(token, ranges.authentication, into: keys, at: SealRule.secret)
        else { return nil }
        return ranges.path
    }

    /// Decodes base64url from memory into memory, without an allocation for each device.
    private static func decode(
        _ token: UnsafeRawBufferPointer,
        _ digits: Range<Int>,
        into keys: UnsafeMutableRawBufferPointer,
        at range: Range<Int>
    ) -> Bool {
        var bits: UInt32 = 0
        var count = 0
        var next = range.lowerBound
        for index in digits {
            guard let digit = Base64URL.digit(token[index]) else { return false }
            bits = bits << 6 | UInt32(digit)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            guard next < range.upperBound else { return false }
            keys[next] = UInt8(truncatingIfNeeded: bits >> UInt32(count))
            next += 1
        }
        return next == range.upperBound
    }
}
