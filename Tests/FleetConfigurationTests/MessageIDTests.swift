import Campaigns
import Testing

@testable import Settings

/// The signed id of a push (contract, section 5).
struct MessageIDTests {
    /// The bytes 0x00 … 0x1f and 0x64 … 0xa3.
    private static let first = "1 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
    private static let second = "2 " + (100..<164).map { HexByte.text($0) }.joined()

    private func keys(_ lines: String...) throws -> MessageKeys {
        try MessageKeys(file: Array(lines.joined(separator: "\n").utf8))
    }

    private func text(_ app: String, _ campaign: UInt32, _ device: UInt32, _ keys: MessageKeys) -> String {
        var bytes = [UInt8](repeating: 0, count: 24)
        let signer = MessageIDSigner(app: app, campaign: campaign, keys: keys)
        let code = signer.codes(of: [device])[0]
        bytes.withUnsafeMutableBytes { signer.write(device: device, code: code, into: $0) }
        #expect(bytes[22...] == [0, 0], "it wrote beyond its 22 characters")
        return String(decoding: bytes[..<22], as: UTF8.self)
    }

    private func read(_ text: String, _ app: String, _ keys: MessageKeys) -> MessageID? {
        MessageID(Array(text.utf8), app: app, keys: keys)
    }

    /// Python: `base64.urlsafe_b64encode(struct.pack('>II', c, d) + hmac.new(key, app.encode() +
    /// struct.pack('>III', c, d, epoch), hashlib.sha256).digest()[:8]).rstrip(b'=')`.
    @Test func `ids are those of another implementation`() throws {
        let (one, two) = (try keys(Self.first), try keys(Self.second))
        #expect(text("news", 7, 4_194_303, one) == "AAAABwA___8Ym1mJoEHYaQ")
        #expect(text("news", 7, 4_194_303, two) == "AAAABwA___8hId6C27Xehg")
        #expect(text("news", 1, 0, one) == "AAAAAQAAAABH1DS0T6kyQQ")
        let last = MessageKeys.Key(epoch: .max, secret: two.signing.secret)
        let longest = try keys("\(last.epoch) " + last.secret.map { HexByte.text(Int($0)) }.joined())
        #expect(text(String(repeating: "x", count: 128), .max, 0, longest) == "_____wAAAADyDh9YVvecBA")
        let id = try #require(read("AAAABwA___8Ym1mJoEHYaQ", "news", one))
        #expect(id.campaign == 7 && id.device == 4_194_303)
    }

    @Test func `every id is read back, by its own app and keys only`() throws {
        var random = SystemRandomNumberGenerator()
        let (one, two) = (try keys(Self.first), try keys(Self.second))
        for length in 1...130 {
            let app = String(repeating: "a", count: length)
            let (campaign, device) = (UInt32.random(in: 0 ... .max, using: &random), UInt32(length) &* 0x9E37_79B9)
            let id = text(app, campaign, device, one)
            let read = try #require(self.read(id, app, one), "\(app.count) \(campaign) \(device) \(id)")
            #expect(read.campaign == campaign && read.device == device)
            #expect(self.read(id, app + "a", one) == nil && self.read(id, app, two) == nil)
        }
    }

    @Test func `an id that was touched is none`() throws {
        let keys = try keys(Self.first, Self.second)
        let id: [UInt8] = Array(text("news", 12, 345, keys).utf8)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        for index in id.indices {
            for character in alphabet + Array("=+/. ".utf8) + [0, 0xFF] where character != id[index] {
                var touched = id
                touched[index] = character
                #expect(MessageID(touched, app: "news", keys: keys) == nil)
            }
        }
        for other in [id.dropLast(), id + [0x41], [], MessageIDPlaceholder.blank] {
            #expect(MessageID(other, app: "news", keys: keys) == nil)
        }
    }

    @Test func `while keys are rotated ids of both are read, and the first signs`() throws {
        let (old, new) = (try keys(Self.first), try keys(Self.second))
        let ready = try keys(Self.first, Self.second)
        let turned = try keys("# turned on Monday", "", Self.second + "\r", Self.first, "")
        #expect(text("news", 3, 4, ready) == text("news", 3, 4, old))
        #expect(text("news", 3, 4, turned) == text("news", 3, 4, new))
        for keys in [ready, turned] {
            for signing in [old, new] { #expect(read(text("news", 3, 4, signing), "news", keys)?.device == 4) }
        }
        #expect(turned.epochs == [2, 1])
    }

    @Test func `one secret under another epoch signs otherwise`() throws {
        let secret = Self.first.dropFirst(2)
        #expect(text("news", 3, 4, try keys("1 \(secret)")) != text("news", 3, 4, try keys("2 \(secret)")))
    }

    @Test(
        arguments: [
            ("", nil, "there is no key in it"), ("# none\n\n", nil, "there is no key in it"),
            ("hunter2", 1, "a line has an epoch and a key, with a space between"),
            ("1 00 11", 1, "a line has an epoch and a key, with a space between"),
            ("-1 00", 1, "the epoch is not a whole number below 4,294,967,296"),
            ("4294967296 00", 1, "the epoch is not a whole number below 4,294,967,296"),
            ("1 hunter22", 1, "the key is not hexadecimal"), ("1 012", 1, "the key is not hexadecimal"),
            ("\n1 0011", 2, "the key has 2 bytes; it needs 32 to 64"),
        ] as [(String, Int?, String)]
    )
    func `a file without good keys is refused without its content`(file: String, line: Int?, detail: String) throws {
        let error = try #require(throws: MessageKeys.Unusable.self) { try MessageKeys(file: Array(file.utf8)) }
        #expect(error.line == line && error.detail == detail)
    }

    @Test func `a third key, and a second of the same epoch, are refused`() throws {
        let third = "3 " + Self.first.dropFirst(2)
        let three = try #require(throws: MessageKeys.Unusable.self) { try keys(Self.first, Self.second, third) }
        #expect(three.line == 3)
        let twice = try #require(throws: MessageKeys.Unusable.self) { try keys(Self.first, "#", Self.first) }
        #expect(twice.line == 3 && twice.detail == "epoch 1 is there already")
    }

    @Test func `keys are never printed`() throws {
        let keys = try keys(Self.first, Self.second)
        var dumped = ""
        dump(keys, to: &dumped)
        for text in [dumped, "\(keys)"] { #expect(!text.contains("secret") && !text.contains("31")) }
        #expect("\(keys)" == "epoch 1, epoch 2 verifies")
    }
}

private enum HexByte {
    static func text(_ byte: Int) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}
