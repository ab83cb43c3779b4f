import TLS

@testable import Simulator

/// A message that FCM accepts, which each test changes in one place, and the account that may send it.
struct FCMSample {
    static let now: Int64 = 1_790_000_000_000
    static let project = "fanfare-simulator"
    static let token = "cXk3-dLrT_yQmZ0aB1cD2e:APA91b" + String(repeating: "Xy_9-", count: 26) + "abcd"
    static let authority = "127.0.0.1:8444"
    static let email = "fanfare@\(project).iam.gserviceaccount.com"
    static let keyID = "0123456789abcdef0123456789abcdef01234567"
    /// The account's key pair; if nil, no signature is valid and every test fails.
    static let pair = try? RS256.generateKey()

    var fields: [(name: String, value: String)] = [
        (":method", "POST"), (":authority", authority), (":path", "/v1/projects/\(project)/messages:send"),
        ("content-type", "application/json"),
    ]
    var body = #"{"message":{"token":"\#(token)","notification":{"title":"Gol","body":"1–0"}}}"#

    static func request(_ fields: [(name: String, value: String)], _ body: String) -> ProviderRequest {
        var request = ProviderRequest(bodyBytesKept: 65_536)
        for (name, value) in fields {
            Array(name.utf8).withUnsafeBytes { name in
                Array(value.utf8).withUnsafeBytes { request.add(name: name, value: $0) }
            }
        }
        Array(body.utf8).withUnsafeBytes { request.add(body: $0) }
        return request
    }

    mutating func set(_ name: String, _ value: String?) {
        fields.removeAll { $0.name == name }
        if let value { fields.append((name, value)) }
    }
}

/// FCM without a socket: one connection that gets many requests.
final class FCMWorld {
    let side: FCMSide
    let connection: any PeerConnection
    var faults = Faults()
    var now = FCMSample.now

    init(access: FCMAccess = FCMAccess()) throws {
        var access = access
        let publicKeyPEM = FCMSample.pair?.publicKeyPEM ?? []
        access.accounts = [.init(clientEmail: FCMSample.email, keyID: FCMSample.keyID, publicKeyPEM: publicKeyPEM)]
        side = try FCMSide(access: access, seed: 1)
        connection = side.connectionOpened(hasClientCertificate: false)
    }

    /// Returns the answer to a request that only the rules can refuse, and the device it was for.
    func ask(
        _ fields: [(name: String, value: String)],
        _ body: String,
        counts: TokenCounts = TokenCounts()
    ) -> (answer: Answer, addressee: Addressee?) {
        let request = FCMSample.request(fields, body)
        switch connection.judge(request, faults: faults, now: now) {
        case .aside(let answer): return (answer, nil)
        case .refused(let answer, let addressee): return (answer, addressee)
        case .passed(let addressee):
            return (connection.accept(addressee, request: request, before: counts, now: now), addressee)
        }
    }

    func send(_ sample: FCMSample, bearer: String? = nil, counts: TokenCounts = TokenCounts()) -> Answer {
        var sample = sample
        if let bearer { sample.set("authorization", "Bearer \(bearer)") }
        return ask(sample.fields, sample.body, counts: counts).answer
    }

    /// Returns the answer of the token endpoint to an assertion.
    func fetch(
        _ claims: String? = nil,
        header: String = #"{"alg":"RS256","typ":"JWT","kid":"\#(FCMSample.keyID)"}"#,
        grantType: String = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer",
        key: [UInt8]? = nil
    ) -> Answer {
        let assertion = Self.assertion(header, claims ?? self.claims(), key: key)
        return fetch(form: "grant_type=\(grantType)&assertion=\(assertion)")
    }

    func fetch(form: String, contentType: String = "application/x-www-form-urlencoded") -> Answer {
        let fields = [
            (":method", "POST"), (":authority", FCMSample.authority), (":path", "/token"),
            ("content-type", contentType),
        ]
        return ask(fields.map { (name: $0.0, value: $0.1) }, form).answer
    }

    func claims(
        issuer: String = FCMSample.email,
        scope: String? = "https://www.googleapis.com/auth/firebase.messaging",
        audience: String = "https://\(FCMSample.authority)/token",
        issued: Int64? = nil,
        lives: Int64 = 3600
    ) -> String {
        let issued = issued ?? now / 1000
        let scope = scope.map { "\"scope\":\"\($0)\"," } ?? ""
        return "{\"iss\":\"\(issuer)\",\(scope)\"aud\":\"\(audience)\",\"iat\":\(issued),\"exp\":\(issued + lives)}"
    }

    /// Returns a valid access token.
    func token() -> String { Self.string("access_token", in: fetch()) ?? "" }

    static func string(_ member: String, in answer: Answer) -> String? {
        try? JSONNode(parsing: answer.body[...])[member]?.string
    }

    private static func assertion(_ header: String, _ claims: String, key: [UInt8]?) -> String {
        let signed = [header, claims].map { String(decoding: Base64URL.encode(Array($0.utf8)), as: UTF8.self) }
            .joined(separator: ".")
        let pem = key ?? FCMSample.pair?.privateKeyPEM ?? []
        // A key that cannot sign gives an assertion that every test rejects.
        guard let key = try? RS256.SigningKey(pem: pem, source: "the test's key"),
            let signature = try? key.sign(Array(signed.utf8))
        else { return signed }
        return signed + "." + String(decoding: Base64URL.encode(signature), as: UTF8.self)
    }
}

extension Answer {
    var text: String { String(decoding: body, as: UTF8.self) }

    /// The whole error as a tree.
    var error: JSONNode? { try? JSONNode(parsing: body[...])["error"] }

    /// Returns the detail with this type, without its prefix.
    func detail(_ type: String) -> JSONNode? {
        guard case .array(let details)? = error?["details"] else { return nil }
        return details.first { $0["@type"]?.string == "type.googleapis.com/\(type)" }
    }

    /// The only field violation as `field: description`.
    var violation: String? {
        guard case .array(let list)? = detail("google.rpc.BadRequest")?["fieldViolations"], list.count == 1 else {
            return nil
        }
        return "\(list[0]["field"]?.string ?? ""): \(list[0]["description"]?.string ?? "")"
    }
}
