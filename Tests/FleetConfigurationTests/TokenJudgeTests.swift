import Campaigns
import Foundation
import PushProviders
import Servers
import TLS
import Testing

/// Tokens made by the rules and keys, checked with Python's cryptography.
@Suite(.enabled(if: PythonJudge.isThere)) struct TokenJudgeTests {
    private static let now = Timestamp(milliseconds: 1_795_204_500_120)

    /// Verifies a JWT with ES256 and prints its header and claims with the keys in order.
    private static let es256 = """
        import base64, json, sys
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec, utils
        read = lambda text: base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        token, public = sys.argv[1:]
        if public.startswith("-----"):
            key = serialization.load_pem_public_key(public.encode())
        else:
            key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), read(public))
        signed, signature = token.rsplit(".", 1)
        raw = read(signature)
        assert len(raw) == 64
        der = utils.encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
        key.verify(der, signed.encode(), ec.ECDSA(hashes.SHA256()))
        for part in signed.split("."): print(json.dumps(json.loads(read(part)), sort_keys=True, separators=(",", ":")))
        """

    @Test func `the provider token for Apple is a JWT that cryptography verifies`() throws {
        let pair = try ES256.generateKey()
        let key = try ES256.SigningKey(pem: pair.privateKeyPEM, source: "AuthKey.p8")
        let identity = try #require(ProviderTokenIdentity(teamID: "ABCDE12345", keyID: "ABC123DEFG"))
        var rule = ProviderTokenRule(identity: identity)
        guard case .sign(let input) = rule.tokenNeeded(now: Self.now) else {
            Issue.record("nothing to sign")
            return
        }
        let authorization = try String(decoding: rule.signed(key.sign(input)).authorization, as: UTF8.self)
        try #require(authorization.hasPrefix("bearer "))
        let token = String(authorization.dropFirst("bearer ".count))
        let lines = try PythonJudge.lines(Self.es256, [token, String(decoding: pair.publicKeyPEM, as: UTF8.self)])
        #expect(
            lines == [#"{"alg":"ES256","kid":"ABC123DEFG"}"#, #"{"iat":\#(Self.now.seconds),"iss":"ABCDE12345"}"#]
        )
    }

    @Test func `the token for a push service is a JWT that cryptography verifies with the key beside it`() throws {
        let key = try ES256.SigningKey(pem: ES256.generateKey().privateKeyPEM, source: "vapid.pem")
        let identity = VAPIDIdentity(
            audience: "https://push.example.net",
            subject: "mailto:push@example.com",
            publicKey: String(decoding: Base64URL.encode(try key.publicKey()), as: UTF8.self)
        )
        var rule = VAPIDTokenRule(identity: identity)
        guard case .sign(let input) = rule.tokenNeeded(now: Self.now) else {
            Issue.record("nothing to sign")
            return
        }
        let authorization = try String(decoding: rule.signed(key.sign(input)).authorization, as: UTF8.self)
        try #require(authorization.hasPrefix("vapid t="))
        let parts = authorization.dropFirst("vapid t=".count).split(separator: ",").map(String.init)
        try #require(parts.count == 2 && parts[1].hasPrefix(" k="))
        let lines = try PythonJudge.lines(Self.es256, [parts[0], String(parts[1].dropFirst(3))])
        let end = Self.now.seconds + 12 * 3600
        #expect(
            lines == [
                #"{"alg":"ES256","typ":"JWT"}"#,
                #"{"aud":"https://push.example.net","exp":\#(end),"sub":"mailto:push@example.com"}"#,
            ]
        )
    }

    @Test func `the assertion for Google is a JWT that google-auth takes`() throws {
        let pair = try RS256.generateKey()
        let file: JSONValue = .object([
            "type": "service_account", "project_id": "news-app-1", "private_key_id": "0123456789abcdef",
            "private_key": .string(String(decoding: pair.privateKeyPEM, as: UTF8.self)),
            "client_email": "sender@news-app-1.iam.gserviceaccount.com",
            "token_uri": "https://oauth2.googleapis.com/token",
        ])
        let account = try FCMProvider().account(["service_account_file": "news.json"]) { _ in JSONWriter.bytes(file) }
        guard case .token(let credential) = account.credential else {
            Issue.record("no token")
            return
        }
        let pem = try #require(credential.key(in: JSONWriter.bytes(file)))
        let key = try RS256.SigningKey(pem: pem, source: "news.json")
        var rule = credential.makeRule(for: account.endpoint(nil))
        // google-auth compares the token's times with its own clock.
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        guard case .sign(let input) = rule.need(now: now).action else {
            Issue.record("nothing to sign")
            return
        }
        rule.signed(try key.sign(input), now: now)
        guard case .fetch(let request) = rule.need(now: now).action else {
            Issue.record("nothing to ask")
            return
        }
        let form = String(decoding: request.body, as: UTF8.self)
        let assertion = try #require(form.split(separator: "assertion=").last.map(String.init))
        let script = """
            import json, sys
            from google.auth import jwt
            claims = jwt.decode(sys.argv[1], certs=sys.argv[2], audience="https://oauth2.googleapis.com/token",
                clock_skew_in_seconds=5)
            print(jwt.decode_header(sys.argv[1])["kid"], claims["iss"], claims["scope"], claims["exp"] - claims["iat"])
            """
        let lines = try PythonJudge.lines(script, [assertion, String(decoding: pair.publicKeyPEM, as: UTF8.self)])
        #expect(
            lines == [
                "0123456789abcdef sender@news-app-1.iam.gserviceaccount.com "
                    + "https://www.googleapis.com/auth/firebase.messaging 3600"
            ]
        )
    }
}
