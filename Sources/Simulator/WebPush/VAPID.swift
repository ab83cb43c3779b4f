import TLS

/// The identification of an application server (RFC 8292).
struct VAPID: Equatable {
    /// The longest validity.
    ///
    /// RFC 8292, section 2: "exp" is at most 24 hours after the request.
    static let secondsMost: Int64 = 86_400
    /// The tolerance in seconds, because two clocks are never equal.
    static let clockSkewSecondsMost: Int64 = 60

    /// The whole field, to recognize it again.
    let authorization: [UInt8]
    /// The time of expiry, in seconds since 1970.
    let expiresAt: Int64

    /// Checks an `authorization` for a service with this origin; `now` is in seconds since 1970.
    init(
        _ authorization: ArraySlice<UInt8>?,
        origin: String,
        access: WebPushAccess,
        now: Int64
    ) throws(WebPushRefusal) {
        guard let authorization else { throw WebPushRefusal(.unauthorized, "Missing Authorization header") }
        let text = String(decoding: authorization, as: UTF8.self)
        guard text.lowercased().hasPrefix("vapid ") else {
            throw WebPushRefusal(.unauthorized, "The authentication scheme is not vapid")
        }
        var parameters: [Substring: Substring] = [:]
        for part in text.dropFirst(6).split(separator: ",") {
            let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { throw WebPushRefusal(.unauthorized, "Malformed vapid parameters") }
            parameters[pair[0]] = pair[1]
        }
        guard let token = parameters["t"], let key = parameters["k"].flatMap({ Base64URL.decode(Array($0.utf8)) })
        else { throw WebPushRefusal(.unauthorized, "vapid needs t and k") }
        let claims = try Self.claims(of: token, key: key)
        guard access.publicKeys.isEmpty || access.publicKeys.contains(key) else {
            throw WebPushRefusal(.forbidden, "The subscription is restricted to another key")
        }
        guard claims["aud"]?.string == origin else { throw WebPushRefusal(.forbidden, "aud is not \(origin)") }
        guard let expiresAt = claims["exp"]?.integer, expiresAt >= 0,
            expiresAt <= now + Self.secondsMost + Self.clockSkewSecondsMost
        else { throw WebPushRefusal(.forbidden, "exp must be at most 24 hours ahead") }
        let subject = claims["sub"]?.string ?? ""
        guard ["mailto:", "https:"].contains(where: { subject.hasPrefix($0) && subject.count > $0.count }) else {
            throw WebPushRefusal(.forbidden, "sub must be a mailto: or https: URI")
        }
        self.authorization = Array(authorization)
        self.expiresAt = expiresAt
        try checkAge(now: now)
    }

    /// Checks that a token that was valid has not expired since.
    func checkAge(now: Int64) throws(WebPushRefusal) {
        guard now < expiresAt else { throw WebPushRefusal(.forbidden, "The token has expired") }
    }

    private static func claims(of token: Substring, key: [UInt8]) throws(WebPushRefusal) -> JSONNode {
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = json(parts[0]), header["alg"]?.string == "ES256",
            let claims = json(parts[1]), let signature = Base64URL.decode(Array(parts[2])), signature.count == 64
        else { throw WebPushRefusal(.forbidden, "t is no ES256 token") }
        // An invalid key has signed nothing; OpenSSL's reason would not help the sender.
        guard let verifier = try? ES256.VerificationKey(publicKey: key, source: "k") else {
            throw WebPushRefusal(.forbidden, "k is no point of P-256")
        }
        guard verifier.verifies(signature: signature, of: Array(token.utf8[..<parts[1].endIndex])) else {
            throw WebPushRefusal(.forbidden, "The signature is not k's")
        }
        return claims
    }

    private static func json(_ part: Substring.UTF8View) -> JSONNode? {
        guard let bytes = Base64URL.decode(Array(part)) else { return nil }
        // Invalid JSON is one of several faults of a token; the caller has no use for the offset.
        return try? JSONNode(parsing: bytes[...])
    }
}
