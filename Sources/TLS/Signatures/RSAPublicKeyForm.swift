/// An RSA public key as SubjectPublicKeyInfo (RFC 8017, A.1.1, and RFC 5280, 4.1.2.7) in DER.
enum RSAPublicKeyForm {
    /// The identifier of rsaEncryption, 1.2.840.113549.1.1.1, with NULL for parameters (RFC 8017, A.1).
    private static let algorithm: [UInt8] = [
        0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]

    /// Returns the bytes of a key with this big-endian modulus and exponent.
    static func der(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
        let key = element(0x30, integer(modulus) + integer(exponent))
        return element(0x30, algorithm + element(0x03, [0] + key))
    }

    /// Encodes a non-negative number: without leading zeros, except one where the first bit would be a sign.
    private static func integer(_ bytes: [UInt8]) -> [UInt8] {
        let number = Array(bytes.drop { $0 == 0 })
        return element(0x02, (number.first ?? 0x80) >= 0x80 ? [0] + number : number)
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        }
        let head: [UInt8] = content.count < 0x80 ? [UInt8(content.count)] : [0x80 | UInt8(length.count)] + length
        return [tag] + head + content
    }
}
