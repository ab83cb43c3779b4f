import TLS

@testable import Simulator

/// A sender's request to the token endpoint in RFC 7523's form.
enum AssertionForm {
    /// Returns the form with an assertion of the simulator's service account; `now` is in seconds since 1970.
    static func make(for simulator: PushSimulator.Running, now: Int64) throws -> String {
        guard let account = simulator.identity.serviceAccount, let port = simulator.port(of: .fcm) else { return "" }
        let header = #"{"alg":"RS256","typ":"JWT","kid":"\#(account.keyID)"}"#
        let claims = """
            {"iss":"\(account.clientEmail)","scope":"https://www.googleapis.com/auth/firebase.messaging",\
            "aud":"https://127.0.0.1:\(port)/token","iat":\(now),"exp":\(now + 3600)}
            """
        let signed = [header, claims].map { String(decoding: Base64URL.encode(Array($0.utf8)), as: UTF8.self) }
            .joined(separator: ".")
        let key = try RS256.SigningKey(pem: account.privateKeyPEM, source: "the service account")
        let signature = String(decoding: Base64URL.encode(try key.sign(Array(signed.utf8))), as: UTF8.self)
        return "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(signed).\(signature)"
    }
}
