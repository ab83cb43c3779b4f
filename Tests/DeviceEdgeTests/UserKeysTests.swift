import Delivery
import Testing

@testable import Settings

/// Key sets of back ends.
@Suite struct UserKeysTests {
    @Test(arguments: [
        ("", "not a JSON object"), ("[]", "not a JSON object"), (#"{"keys": []}"#, "no key for signatures"),
        (#"{"keys": [{"kty": "oct", "k": "c2VjcmV0"}]}"#, "private part"),
        (#"{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AA", "d": "AA"}]}"#, "private part"),
        (#"{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AA"}]}"#, "key 1 is not a public key of Ed25519"),
        (#"{"keys": [{"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"}]}"#, "key 1 is not a point of P-256"),
        (#"{"keys": [{"kty": "EC", "crv": "P-256", "x": "AA"}]}"#, "key 1 has no y"),
        (#"{"keys": [{"kty": "RSA", "n": "_w", "e": "AQAB"}]}"#, "key 1"),
        (#"{"keys": [{"kty": "EC", "crv": "P-521", "x": "AA", "y": "AA"}]}"#, "no key for signatures"),
    ])
    func `a set that cannot be used says which key and why, and nothing of it`(_ text: String, _ reason: String) {
        let error = #expect(throws: UserKeys.Unusable.self) { try UserKeys(file: Array(text.utf8)) }
        #expect(error?.detail.contains(reason) == true, "\(error?.detail ?? "")")
        #expect(error?.detail.contains("c2VjcmV0") == false)
    }

    @Test(arguments: ["", "a", "a.b", "a.b.c", "e30.e30.", "e30.e30.AA.AA", "eyJhbGciOiJub25lIn0.e30."])
    func `what is no token is refused before any key is tried`(_ text: String) {
        #expect(throws: UserToken.Fault.self) { _ = try UserToken(text) }
        #expect(throws: UserToken.Fault.self) { _ = try UserToken(String(repeating: "a", count: 9_000)) }
    }
}
