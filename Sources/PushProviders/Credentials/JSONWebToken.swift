import Campaigns

/// The text of a JSON Web Token (RFC 7519) in its compact form (RFC 7515, 7.1).
enum JSONWebToken {
    /// Returns the bytes to sign: header and claims in base64url, with a dot between them (RFC 7515, 5.1).
    static func signingInput(
        _ algorithm: SignatureAlgorithm,
        header: KeyValuePairs<String, JSONValue?> = [:],
        claims: KeyValuePairs<String, JSONValue?>
    ) -> [UInt8] {
        let more = header.compactMap { name, value in value.map { JSONMember(name, $0) } }
        let first = JSONMember("alg", .string(algorithm.rawValue))
        return Base64URL.encode(JSONWriter.bytes(.object([first] + more))) + [UInt8(ascii: ".")]
            + Base64URL.encode(JSONWriter.bytes(.object(claims)))
    }

    /// Returns the token with its signature.
    static func text(signingInput: [UInt8], signature: [UInt8]) -> [UInt8] {
        signingInput + [UInt8(ascii: ".")] + Base64URL.encode(signature)
    }
}
