import TLS
import Testing

@Suite struct SignatureTests {
    @Test func `a signature is verified by its key and by no other`() throws {
        let pair = try ES256.generateKey()
        let key = try ES256.SigningKey(pem: pair.privateKeyPEM, source: "AuthKey.p8")
        let verifier = try ES256.VerificationKey(pem: pair.publicKeyPEM, source: "public key")
        let message = Array("header.claims".utf8)
        // r and s have leading zero bytes in one of 128 signatures: enough tries to meet some.
        for _ in 0..<300 {
            let signature = try key.sign(message)
            #expect(signature.count == 64)
            #expect(verifier.verifies(signature: signature, of: message))
        }
        let signature = try key.sign(message)
        #expect(!verifier.verifies(signature: signature, of: Array("header.claimz".utf8)))
        #expect(!verifier.verifies(signature: Array(signature.dropLast()), of: message))
        #expect(!verifier.verifies(signature: [UInt8](repeating: 0, count: 64), of: message))
        let other = try ES256.VerificationKey(pem: ES256.generateKey().publicKeyPEM, source: "other")
        #expect(!other.verifies(signature: signature, of: message))
        #expect(try key.publicKeyPEM() == pair.publicKeyPEM)
    }

    @Test func `a key that cannot be used is named with what was expected`() throws {
        let unreadable = #expect(throws: TLSError.self) {
            try ES256.SigningKey(pem: Array("not a key".utf8), source: "AuthKey_ABC.p8")
        }
        #expect(unreadable?.message.contains("AuthKey_ABC.p8") == true)
        #expect(unreadable?.message.contains(".p8 file as Apple gave it") == true)
        // openssl genpkey -algorithm ed25519
        let ed25519 = """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
            -----END PRIVATE KEY-----

            """
        let curve = #expect(throws: TLSError.self) {
            try ES256.SigningKey(pem: Array(ed25519.utf8), source: "ed.p8")
        }
        #expect(curve?.message.contains("P-256") == true)
    }

    @Test func `digests and codes are those of the standards`() {
        // FIPS 180-4, "abc"; RFC 4231 test case 2.
        #expect(
            hex(SHA256.digest(Array("abc".utf8)))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        )
        #expect(
            hex(SHA256.digest([UInt8]()))
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        )
        let code = HMACSHA256(key: Array("Jefe".utf8))
        for _ in 0..<2 {
            #expect(
                hex(code.code(Array("what do ya want for nothing?".utf8)))
                    == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            )
        }
    }

    @Test func `a code is the same wherever its message is cut, and needs its key`() {
        let message = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for keyBytes in [0, 1, 32, 63, 64, 65, 200] {
            let key = (0..<keyBytes).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 3) }
            let whole = HMACSHA256(key: key).code(message)
            for cut in 0...message.count {
                let code = HMACSHA256(key: key, beginning: Array(message[..<cut]))
                #expect(code.code(Array(message[cut...])) == whole)
            }
            // RFC 2104, 2, by hand.
            let short = keyBytes > 64 ? SHA256.digest(key) : key
            let block = short + [UInt8](repeating: 0, count: 64 - short.count)
            let inner = SHA256.digest(block.map { $0 ^ 0x36 } + message)
            #expect(SHA256.digest(block.map { $0 ^ 0x5c } + inner) == whole)
        }
    }

    @Test func `codes that are made together are those that are made alone`() {
        let key = (0..<32).map { UInt8($0 &* 5) }
        // On both sides of the length at which a message needs another block, with groups that fill the lanes or do
        // not.
        for (beginBytes, restBytes) in [(0, 1), (3, 8), (46, 8), (47, 8), (48, 8), (54, 1), (55, 1), (64, 8), (130, 8)]
        {
            let code = HMACSHA256(key: key, beginning: [UInt8](repeating: 0x61, count: beginBytes))
            for count in 0...17 {
                let rests = (0..<count * restBytes).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
                var codes = [UInt64](repeating: 0, count: count)
                rests.withUnsafeBytes { rests in
                    codes.withUnsafeMutableBufferPointer { code.shortCodes(rests, restBytes: restBytes, into: $0) }
                }
                for index in 0..<count {
                    let alone = code.code(Array(rests[index * restBytes..<(index + 1) * restBytes]))
                    #expect(codes[index] == alone.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
                }
            }
        }
    }

    private func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
