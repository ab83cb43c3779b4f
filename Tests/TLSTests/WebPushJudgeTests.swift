import PushProviders
import Servers
import TLS
import Testing

/// Our encryption, compared with pywebpush's `http-ece` in both directions.
@Suite(.enabled(if: PythonJudge.isThere)) struct WebPushJudgeTests {
    private static let lengths = [0, 1, 15, 16, 17, 500, WebPushMessage.plaintextBytesMax]

    @Test func `http-ece opens what is sealed here`() throws {
        let sealer = try MessageSealer()
        var arguments: [String] = []
        for (index, count) in Self.lengths.enumerated() {
            let browser = try MessageOpener(authentication: (0..<16).map { UInt8(index * 16 + $0) })
            let message = try sealer.seal(Self.plaintext(count), for: browser)
            arguments += try [browser.privateKey(), browser.authentication, message].map(Self.text)
        }
        let script = """
            import base64, sys, http_ece
            from cryptography.hazmat.primitives.asymmetric import ec
            read = lambda text: base64.urlsafe_b64decode(text + "==")
            for at in range(1, len(sys.argv), 3):
                scalar, secret, message = map(read, sys.argv[at:at + 3])
                key = ec.derive_private_key(int.from_bytes(scalar, "big"), ec.SECP256R1())
                print("=" + http_ece.decrypt(message, private_key=key, auth_secret=secret, version="aes128gcm").hex())
            """
        let opened = try PythonJudge.lines(script, arguments)
        #expect(opened == Self.lengths.map { "=" + Self.hexadecimal(Self.plaintext($0)) })
    }

    @Test func `what http-ece seals is opened here, padding and record size whatever they are`() throws {
        let browser = try MessageOpener(authentication: Array(0..<16))
        let script = """
            import base64, os, sys, http_ece
            from cryptography.hazmat.primitives.asymmetric import ec
            read = lambda text: base64.urlsafe_b64decode(text + "==")
            public, secret = read(sys.argv[1]), read(sys.argv[2])
            for at in range(3, len(sys.argv), 2):
                key = ec.generate_private_key(ec.SECP256R1())
                content = http_ece.encrypt(bytes.fromhex(sys.argv[at]), salt=os.urandom(16), private_key=key, dh=public,
                    auth_secret=secret, rs=int(sys.argv[at + 1]), version="aes128gcm")
                print(base64.urlsafe_b64encode(content).decode().rstrip("="))
            """
        // For empty content http-ece makes no record, which RFC 8188 section 2 does not allow.
        let sizes = Self.lengths.dropFirst().flatMap { [(count: $0, record: 4096), (count: $0, record: 17 + $0)] }
        let arguments = sizes.flatMap { [Self.hexadecimal(Self.plaintext($0.count)), String($0.record)] }
        let lines = try PythonJudge.lines(
            script,
            [browser.publicKey, browser.authentication].map(Self.text) + arguments
        )
        #expect(lines.count == sizes.count)
        for (size, line) in zip(sizes, lines) {
            let message = try #require(Base64URL.decode(Array(line.utf8)))
            #expect(try browser.open(message) == Self.plaintext(size.count), "\(size)")
        }
        // Two records are not Web Push (RFC 8291 section 4).
        let long = try PythonJudge.lines(
            script,
            [browser.publicKey, browser.authentication].map(Self.text) + [Self.hexadecimal(Self.plaintext(100)), "50"]
        )
        let message = try #require(long.first.flatMap { Base64URL.decode(Array($0.utf8)) })
        let refusal = #expect(throws: TLSError.self) { try browser.open(message) }
        #expect(refusal?.message.contains("more than one record") == true)
    }

    private static func plaintext(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) } }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: Base64URL.encode(bytes), as: UTF8.self) }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".unicodeScalars)
        var text = String.UnicodeScalarView()
        for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        return String(text)
    }
}
