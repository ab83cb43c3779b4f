import Campaigns
import Foundation
import PrivateServers
import Servers
import Store
import Testing

@testable import DeviceEdge

/// Users confirmed by an app's back end; an independent implementation makes tokens and key set.
@Suite(.enabled(if: PythonJudge.isThere)) struct UserTokenTests {
    /// A set with one public key whose private half was discarded.
    static let emptyHandedKeys = """
        {"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "e", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}
        """

    /// Prints a key set with one key of each kind, then a line `name token` for each case.
    private static let script = """
        import base64, hashlib, hmac, json, time
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils
        def text(data): return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
        def number(value, size=None): return text(value.to_bytes(size or (value.bit_length() + 7) // 8, "big"))
        curve, modulus, edwards = ec.generate_private_key(ec.SECP256R1()), rsa.generate_private_key(65537, 2048), \
            ed25519.Ed25519PrivateKey.generate()
        other = ec.generate_private_key(ec.SECP256R1())
        point, parts = curve.public_key().public_numbers(), modulus.public_key().public_numbers()
        raw = edwards.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        keys = [{"kty": "EC", "crv": "P-256", "kid": "c", "use": "sig", "alg": "ES256",
                 "x": number(point.x, 32), "y": number(point.y, 32)},
                {"kty": "RSA", "kid": "r", "n": number(parts.n), "e": number(parts.e)},
                {"kty": "OKP", "crv": "Ed25519", "kid": "e", "alg": "EdDSA", "x": text(raw)},
                {"kty": "EC", "crv": "P-384", "kid": "later", "x": "AA", "y": "AA"}]
        print(json.dumps({"keys": keys}))
        def sign(header, signed):
            if header["alg"] == "ES256":
                key = other if header["kid"] == "stranger" else curve
                r, s = utils.decode_dss_signature(key.sign(signed, ec.ECDSA(hashes.SHA256())))
                return r.to_bytes(32, "big") + s.to_bytes(32, "big")
            if header["alg"] == "RS256": return modulus.sign(signed, padding.PKCS1v15(), hashes.SHA256())
            if header["alg"] == "EdDSA": return edwards.sign(signed)
            if header["alg"] == "HS256":  # the attack on verifiers that take a public key for a shared secret
                return hmac.new(keys[2]["x"].encode(), signed, hashlib.sha256).digest()
            return b""
        def case(name, header={}, claims={}, tamper=False):
            header = {"alg": "ES256", "kid": "c", "typ": "JWT"} | header
            claims = {"aud": "news", "sub": "ana", "exp": time.time() + 300} | claims
            claims = {name: value for name, value in claims.items() if value is not None}
            signed = (text(json.dumps(header).encode()) + "." + text(json.dumps(claims).encode())).encode()
            signature = sign(header, signed)
            if tamper:
                claims["sub"] = "eve"
                signed = (signed.decode().split(".")[0] + "." + text(json.dumps(claims).encode())).encode()
            print(name, signed.decode() + "." + text(signature))
        case("good-es256")
        case("good-rs256", {"alg": "RS256", "kid": "r"})
        case("good-eddsa", {"alg": "EdDSA", "kid": "e"})
        case("good-audiences", {}, {"aud": ["shop", "news"]})
        case("good-leeway", {}, {"exp": time.time() - 5, "nbf": time.time() + 30})
        case("bad-none", {"alg": "none"})
        case("bad-hs256", {"alg": "HS256", "kid": "e"})
        case("bad-confusion", {"alg": "RS256", "kid": "c"})
        case("bad-stranger", {"kid": "stranger"})
        case("bad-crit", {"crit": ["exp"]})
        case("bad-expired", {}, {"exp": time.time() - 90})
        case("bad-early", {}, {"nbf": time.time() + 900})
        case("bad-eternal", {}, {"exp": None})
        case("bad-audience", {}, {"aud": "shop"})
        case("bad-nobody", {}, {"aud": None})
        case("bad-subject", {}, {"sub": "ben"})
        case("bad-tampered", tamper=True)
        """

    @Test func `a user's key is believed with a token of the app's back end, and with no other`() async throws {
        let lines = try await aside { try PythonJudge.lines(Self.script) }
        let more = ", user_keys_file: users.json, require_user_token: true"
        let settings = ["FANFARE_SERVER_EDGE_REQUESTS_PER_SECOND": "1000"]
        try await EdgeFixture.with(more: more, files: ["users.json": lines[0]], settings: settings) { server in
            let secret = try await server.secret("ana")
            let cases = lines.dropFirst().map { $0.split(separator: " ") }
            #expect(cases.count == 17)
            for words in cases {
                let (name, header) = (words[0], "Fanfare-User: \(words[1])")
                let reply = try await server.register("ana", key: secret, #""user": "ana""#, headers: [header])
                if name.hasPrefix("good") {
                    #expect(reply.status == 200, "\(name): \(reply.text)")
                    #expect(try await server.device("ana")?.user == "ana", "\(name)")
                } else {
                    #expect(reply.status == 403 && reply.word == "user_not_verified", "\(name): \(reply.text)")
                    #expect(reply.pointer == "/user", "\(name)")
                    #expect(try await server.device("ana")?.user == nil, "\(name)")
                }
                // A log-out needs no token of the back end.
                #expect(try await server.register("ana", key: secret, #""user": null"#).status == 200)
            }
            let bare = try await server.register("ana", key: secret, #""user": "ana""#)
            #expect(bare.status == 403 && bare.word == "user_not_verified" && bare.reason.contains("Fanfare-User"))
            let first = try await server.register("ben", key: EdgeFixture.key("news"), token: 2, #""user": "ben""#)
            #expect(first.word == "user_not_verified")
            #expect(try await server.device("ben") == nil)
        }
    }

    @Test func `a token of its user opens an id that exists, and no other token does`() async throws {
        let lines = try await aside { try PythonJudge.lines(Self.script) }
        let cases = lines.dropFirst().map { $0.split(separator: " ") }
        let good = try #require(cases.first { $0[0] == "good-es256" })[1]
        try await EdgeFixture.with(more: ", user_keys_file: users.json", files: ["users.json": lines[0]]) { server in
            let (old, key) = (try await server.secret("phone"), EdgeFixture.key("news"))
            #expect(try await server.register("phone", key: old, #""user": "ana""#).status == 200)
            for words in cases where words[0].hasPrefix("bad") {
                let header = "Fanfare-User: \(words[1])"
                // With the user in the body a bad token is refused for itself; without, it proves nothing.
                let named = try await server.register("phone", key: key, token: 2, #""user": "ana""#, headers: [header])
                #expect(named.word == "user_not_verified", "\(words[0])")
                let silent = try await server.register("phone", key: key, token: 2, headers: [header])
                #expect(silent.status == 409 && silent.word == "device_exists", "\(words[0]): \(silent.text)")
            }
            let header = "Fanfare-User: \(good)"
            let other = try await server.secret("other", token: 3)
            #expect(try await server.register("other", key: other, #""user": "ben""#).status == 200)
            let foreign = try await server.register("other", key: key, token: 4, headers: [header])
            #expect(foreign.status == 409 && foreign.json?["device_secret"] == nil)
            let new = try await server.register("phone", key: key, token: 2, headers: [header])
            let secret = try #require(new.json?["device_secret"]?.string, "\(new.text)")
            #expect(try await server.device("phone")?.user == "ana")
            #expect(try await server.register("phone", key: old, token: 2).status == 403)
            #expect(try await server.register("phone", key: secret, token: 2).status == 200)
        }
    }

    @Test func `where the app does not ask for it a user's key is taken, but no wrong token`() async throws {
        let files = ["users.json": Self.emptyHandedKeys]
        try await EdgeFixture.with(more: ", user_keys_file: users.json", files: files) { server in
            let secret = try await server.secret("ana")
            #expect(try await server.register("ana", key: secret, #""user": "ana""#).status == 200)
            let reply = try await server.register("ana", key: secret, #""user": "b""#, headers: ["Fanfare-User: a.b.c"])
            #expect(reply.status == 403 && reply.word == "user_not_verified")
            #expect(try await server.device("ana")?.user == "ana")
        }
    }
}
