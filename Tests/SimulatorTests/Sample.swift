import TLS

@testable import Simulator

/// A request that APNs accepts, which each test changes in one place.
struct Sample {
    static let now: Int64 = 1_790_000_000
    static let token = String(repeating: "0a1b2c3d", count: 8)

    var method = "POST"
    var path = "/3/device/\(token)"
    var headers: [(name: String, value: String)] = [
        ("apns-topic", "com.example.news"), ("apns-push-type", "alert"), ("apns-priority", "10"),
        ("apns-id", "0f8fad5b-d9cb-469f-a165-70867728950e"), ("apns-expiration", "1790003600"),
        ("apns-collapse-id", "derby-score"),
    ]
    var body = #"{"aps":{"alert":{"title":"Gol","body":"1–0"}},"match":7}"#
    /// The authorization; nil for the token of `signer`.
    var authorization: String?
    var signer = Sample.news
    var issuedAt = Sample.now - 60
    var certificate: String?
    var access = APNsAccess(topics: ["com.example.news"], keys: [Sample.news.providerKey, Sample.sport.providerKey])

    /// The signers of two keys of one team.
    static let news = Signer(keyID: "NEWSKEY001", teamID: "TEAM000001")
    static let sport = Signer(keyID: "SPORTKEY01", teamID: "TEAM000001")

    mutating func set(_ name: String, _ value: String?) {
        headers.removeAll { $0.name == name }
        if let value { headers.append((name, value)) }
    }

    func request() -> ProviderRequest {
        var request = ProviderRequest(bodyBytesKept: 5120)
        var fields = [(":method", method), (":path", path)] + headers.map { ($0.name, $0.value) }
        if certificate == nil {
            fields.append(("authorization", authorization ?? "bearer \(signer.token(issuedAt: issuedAt))"))
        }
        for (name, value) in fields where !(name == "authorization" && value.isEmpty) {
            Array(name.utf8).withUnsafeBytes { name in
                Array(value.utf8).withUnsafeBytes { request.add(name: name, value: $0) }
            }
        }
        Array(body.utf8).withUnsafeBytes { request.add(body: $0) }
        return request
    }

    func finding() throws -> APNsRules.Finding {
        var connection = APNsConnectionFacts(certificateName: certificate)
        return try finding(on: &connection, rules: APNsRules(tokens: ProviderTokens(access: access)))
    }

    func finding(
        on connection: inout APNsConnectionFacts,
        rules: APNsRules,
        now: Int64 = Sample.now
    ) throws -> APNsRules.Finding {
        rules.finding(on: request(), connection: &connection, now: now)
    }

    func reason() throws -> APNsReason? {
        guard case .refused(let reason, _) = try finding() else { return nil }
        return reason
    }
}

/// A provider's signing key.
struct Signer: Sendable {
    let keyID: String
    let teamID: String
    let pair: KeyPair?

    init(keyID: String, teamID: String) {
        self.keyID = keyID
        self.teamID = teamID
        // Without a key no signature is valid, and every test fails.
        pair = try? ES256.generateKey()
    }

    var providerKey: APNsAccess.ProviderKey { providerKey() }

    func providerKey(
        topics: [String]? = nil,
        environment: APNsAccess.Environment? = nil
    ) -> APNsAccess.ProviderKey {
        APNsAccess.ProviderKey(
            keyID: keyID,
            teamID: teamID,
            publicKeyPEM: pair?.publicKeyPEM ?? [],
            topics: topics,
            environment: environment
        )
    }

    func token(issuedAt: Int64) -> String {
        token(header: #"{"alg":"ES256","kid":"\#(keyID)"}"#, claims: #"{"iss":"\#(teamID)","iat":\#(issuedAt)}"#)
    }

    func token(header: String, claims: String) -> String {
        Self.token(header: header, claims: claims, privateKeyPEM: pair?.privateKeyPEM ?? [])
    }

    static func token(header: String, claims: String, privateKeyPEM: [UInt8]) -> String {
        let signed = [header, claims].map { String(decoding: Base64URL.encode(Array($0.utf8)), as: UTF8.self) }
            .joined(separator: ".")
        // A key that cannot sign gives a token that every test rejects.
        guard let key = try? ES256.SigningKey(pem: privateKeyPEM, source: "the test's key"),
            let signature = try? key.sign(Array(signed.utf8))
        else { return signed }
        return signed + "." + String(decoding: Base64URL.encode(signature), as: UTF8.self)
    }
}
