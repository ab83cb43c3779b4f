import TLS

@testable import Simulator

/// A push service without a socket, and a message that it accepts, which each test changes in one place.
final class WebPushWorld {
    static let now: Int64 = 1_790_000_000
    static let authority = "127.0.0.1:8445"
    static let origin = "https://\(authority)"

    let side: WebPushSide
    let connection: any PeerConnection
    let key: ES256.SigningKey
    var now = WebPushWorld.now

    init(access: WebPushAccess = WebPushAccess()) throws {
        side = WebPushSide(access: access, seed: 1)
        connection = side.connectionOpened(hasClientCertificate: false)
        key = try ES256.SigningKey(pem: ES256.generateKey().privateKeyPEM, source: "the test's key")
    }

    /// Returns a message's required fields for subscription `number`.
    func fields(to number: UInt64, authorization: String? = nil) throws -> [(name: String, value: String)] {
        [
            (":method", "POST"), (":authority", Self.authority), (":path", "/push/\(side.subscriptions.id(number))"),
            ("authorization", try authorization ?? vapid()), ("ttl", "60"), ("content-encoding", "aes128gcm"),
        ]
    }

    func vapid(
        audience: String = WebPushWorld.origin,
        expires: Int64? = nil,
        subject: String? = "mailto:push@example.com",
        header: String = #"{"typ":"JWT","alg":"ES256"}"#,
        claimed: [UInt8]? = nil
    ) throws -> String {
        let subject = subject.map { ",\"sub\":\"\($0)\"" } ?? ""
        let claims = "{\"aud\":\"\(audience)\",\"exp\":\(expires ?? now + 3600)\(subject)}"
        func text(_ bytes: [UInt8]) -> String { String(decoding: Base64URL.encode(bytes), as: UTF8.self) }
        let signed = text(Array(header.utf8)) + "." + text(Array(claims.utf8))
        let signature = text(try key.sign(Array(signed.utf8)))
        return "vapid t=\(signed).\(signature), k=\(text(try claimed ?? key.publicKey()))"
    }

    func seal(_ plaintext: String, to number: UInt64) throws -> [UInt8] {
        let opener = try side.subscriptions.opener(number)
        let sealer = try MessageSealer()
        var message = [UInt8](repeating: 0, count: plaintext.utf8.count + WebPushMessage.overheadBytes)
        let count = try message.withUnsafeMutableBytes { room in
            try Array(plaintext.utf8).withUnsafeBytes { plaintext in
                try opener.publicKey.withUnsafeBytes { publicKey in
                    try opener.authentication.withUnsafeBytes { authentication in
                        try sealer.seal(
                            plaintext,
                            publicKey: publicKey,
                            authentication: authentication,
                            into: room
                        )
                    }
                }
            }
        }
        return Array(message.prefix(count))
    }

    func ask(_ fields: [(name: String, value: String)], _ body: [UInt8]) -> Answer {
        var request = ProviderRequest(bodyBytesKept: side.bodyBytesKept)
        for (name, value) in fields {
            Array(name.utf8).withUnsafeBytes { name in
                Array(value.utf8).withUnsafeBytes { request.add(name: name, value: $0) }
            }
        }
        body.withUnsafeBytes { request.add(body: $0) }
        switch connection.judge(request, faults: Faults(), now: now * 1000) {
        case .aside(let answer), .refused(let answer, _): return answer
        case .passed(let addressee):
            return connection.accept(addressee, request: request, before: TokenCounts(), now: now * 1000)
        }
    }

    /// Returns the answer to a message with one field changed; nil removes it.
    func answer(_ name: String, _ value: String?, body: [UInt8] = []) throws -> Answer {
        var fields = try fields(to: 7).filter { $0.name != name }
        if let value { fields.append((name, value)) }
        return ask(fields, body)
    }

    var statistics: [String: UInt64] {
        var statistics = Statistics()
        side.addTotals(to: &statistics)
        return statistics.own
    }
}
