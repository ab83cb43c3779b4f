import PushProviders
import TLS
import Testing

@Suite struct WebPushMessageTests {
    @Test func `the message is that of RFC 8291, section 5`() throws {
        let plaintext = Array("When I grow up, I want to be a watermelon".utf8)
        let browser = try MessageOpener(
            privateKey: Self.bytes("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"),
            authentication: Self.bytes("BTBZMqHH6r4Tts7J_aSIgg")
        )
        #expect(
            try browser.publicKey
                == Self.bytes("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4")
        )
        let chance = try MessageSealer.Chance(
            privateKey: Self.bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"),
            salt: Self.bytes("DGv6ra1nlYgDCS1FRnbzlw")
        )
        let message = try Self.bytes(
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK"
                + "6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        )
        let sealer = try MessageSealer()
        #expect(try sealer.seal(plaintext, for: browser, chance: chance) == message)
        #expect(try browser.open(message) == plaintext)
        // A message made with known secrets leaves nothing behind for the next.
        #expect(try sealer.seal(plaintext, for: browser) != message)
    }

    @Test func `a message of any length is opened by its subscription`() throws {
        let sealer = try MessageSealer()
        let browser = try MessageOpener(authentication: Array(0..<16))
        let same = try MessageOpener(privateKey: browser.privateKey(), authentication: browser.authentication)
        #expect(same.publicKey == browser.publicKey)
        for count in [0, 1, 15, 16, 17, 1000, WebPushMessage.plaintextBytesMax] {
            let plaintext = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let message = try sealer.seal(plaintext, for: browser)
            #expect(message.count == count + WebPushMessage.overheadBytes)
            #expect(try browser.open(message) == plaintext)
            #expect(try same.open(message) == plaintext)
        }
        #expect(WebPushMessage.plaintextBytesMax == 3993)
    }

    @Test func `no two messages have a key or a salt in common`() throws {
        let sealer = try MessageSealer()
        let browser = try MessageOpener(authentication: Array(0..<16))
        let messages = try (0..<50).map { _ in try sealer.seal([7], for: browser) }
        #expect(Set(messages.map { Array($0[..<16]) }).count == messages.count)
        #expect(Set(messages.map { Array($0[21..<86]) }).count == messages.count)
    }

    @Test func `what was changed or meant for another is refused`() throws {
        let sealer = try MessageSealer()
        let browser = try MessageOpener(authentication: Array(0..<16))
        let message = try sealer.seal(Array("secret".utf8), for: browser)
        for at in message.indices {
            var other = message
            other[at] ^= 0x10
            // A larger record size changes nothing: there is one record.
            guard !(16..<20).contains(at) else { continue }
            #expect(throws: TLSError.self, "byte \(at)") { try browser.open(other) }
        }
        for count in 0..<message.count {
            #expect(throws: TLSError.self) { try browser.open(Array(message[..<count])) }
        }
        let otherSecret = try MessageOpener(privateKey: browser.privateKey(), authentication: Array(1..<17))
        #expect(throws: TLSError.self) { try otherSecret.open(message) }
        let otherKey = try MessageOpener(authentication: browser.authentication)
        #expect(throws: TLSError.self) { try otherKey.open(message) }
        var small = message
        small.replaceSubrange(16..<20, with: [0, 0, 0, 18])
        #expect(throws: TLSError.self) { try browser.open(small) }
    }

    @Test func `a subscription whose key is no point is told from a failure, and the next one is sealed for`() throws {
        let sealer = try MessageSealer()
        let browser = try MessageOpener(authentication: Array(0..<16))
        var offCurve = browser.publicKey
        offCurve[64] ^= 1
        // The hybrid form of the same point has 65 bytes as well (SEC 1); Web Push allows only the uncompressed one.
        var hybrid = browser.publicKey
        hybrid[0] = 6 + (hybrid[64] & 1)
        let large = [4] + [UInt8](repeating: 0xFF, count: 64)
        for key in [offCurve, hybrid, large, [UInt8](repeating: 0, count: 65)] {
            let refusal = #expect(throws: TLSError.self) {
                try sealer.seal([1], publicKey: key, authentication: browser.authentication)
            }
            #expect(refusal?.code == .peerKey)
            #expect(try browser.open(sealer.seal([1], for: browser)) == [1])
        }
    }

    @Test func `a VAPID key is read from its 32 bytes`() throws {
        // RFC 7515, A.3: the key of its JWK and a signature.
        let key = try ES256.SigningKey(
            privateKey: Self.bytes("jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"),
            source: "vapid.key"
        )
        let point =
            try [4] + Self.bytes("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")
            + Self.bytes("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
        #expect(try key.publicKey() == point)
        let verifier = try ES256.VerificationKey(publicKey: point, source: "k")
        let message = Array("header.claims".utf8)
        #expect(try verifier.verifies(signature: key.sign(message), of: message))
        let pem = try ES256.SigningKey(pem: ES256.generateKey().privateKeyPEM, source: "vapid.pem")
        #expect(try pem.publicKey().count == 65)

        // RFC 8292, section 2.4.
        let example = try ES256.VerificationKey(
            publicKey: Self.bytes(
                "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"
            ),
            source: "k"
        )
        let token =
            "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3Njgs"
            + "InN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0"
        let signature = try Self.bytes(
            "i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA"
        )
        #expect(example.verifies(signature: signature, of: Array(token.utf8)))
    }

    @Test func `bytes that are no key are refused with what names them`() throws {
        // The order of the group (SEC 2, 2.4.2), and one less.
        let order = try Self.bytes("_____wAAAAD__________7zm-q2nF56E87nKwvxjJVE")
        let last = order.dropLast() + [0x50]
        #expect(throws: Never.self) { try ES256.SigningKey(privateKey: Array(last), source: "vapid.key") }
        for scalar in [order, [UInt8](repeating: 0, count: 32), [UInt8](repeating: 1, count: 31), []] {
            let refusal = #expect(throws: TLSError.self) {
                try ES256.SigningKey(privateKey: scalar, source: "vapid.key")
            }
            #expect(refusal?.message.contains("vapid.key") == true)
        }
        for point in [[UInt8](repeating: 4, count: 65), [4], []] {
            #expect(throws: TLSError.self) { try ES256.VerificationKey(publicKey: point, source: "k") }
        }
    }

    private static func bytes(_ text: String) throws -> [UInt8] {
        try #require(Base64URL.decode(Array(text.utf8)))
    }
}

extension MessageSealer {
    /// Returns the message for a subscription.
    func seal(_ plaintext: [UInt8], for browser: MessageOpener, chance: Chance? = nil) throws -> [UInt8] {
        try seal(plaintext, publicKey: browser.publicKey, authentication: browser.authentication, chance: chance)
    }

    /// Returns the message for the keys of a subscription.
    func seal(
        _ plaintext: [UInt8],
        publicKey: [UInt8],
        authentication: [UInt8],
        chance: Chance? = nil
    ) throws -> [UInt8] {
        var room = [UInt8](repeating: 0, count: plaintext.count + WebPushMessage.overheadBytes)
        let count = try plaintext.withUnsafeBytes { plaintext in
            try publicKey.withUnsafeBytes { key in
                try authentication.withUnsafeBytes { secret in
                    try room.withUnsafeMutableBytes { room in
                        try self.seal(plaintext, publicKey: key, authentication: secret, into: room, chance: chance)
                    }
                }
            }
        }
        #expect(count == room.count)
        return room
    }
}
