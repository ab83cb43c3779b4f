/// The file with a VAPID key: PEM, or the output of Web Push tools, 32 bytes in base64url.
enum VAPIDKeyFile {
    /// The DER bytes of PKCS#8 in front of a private key of P-256 without its public half (RFC 5208, RFC 5915).
    private static let head: [UInt8] = [
        0x30, 0x41, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08,
        0x2a,
        0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x04, 0x27, 0x30, 0x25, 0x02, 0x01, 0x01, 0x04, 0x20,
    ]

    /// Returns the private key as PEM; a file in neither form is returned unchanged, so that its reader reports the
    /// problem.
    static func pem(in file: [UInt8]) -> [UInt8]? {
        let spaces: Set<UInt8> = [0x09, 0x0a, 0x0d, 0x20]
        var text = file.drop { spaces.contains($0) }
        while let last = text.last, spaces.contains(last) || last == UInt8(ascii: "=") { text.removeLast() }
        guard let key = Base64URL.decode(text), key.count == 32 else { return file }
        let lines = base64(head + key)
        return Array("-----BEGIN PRIVATE KEY-----\n".utf8) + lines + Array("\n-----END PRIVATE KEY-----\n".utf8)
    }

    /// Encodes in base64 (RFC 4648, 4), in lines of 64 characters.
    private static func base64(_ bytes: [UInt8]) -> [UInt8] {
        var text = Base64URL.encode(bytes).map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        let lines = stride(from: 0, to: text.count, by: 64).map { text[$0..<min($0 + 64, text.count)] }
        return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
    }
}
