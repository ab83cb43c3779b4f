import PushProviders
import Testing

@Suite struct Base64URLTests {
    @Test func `base64url goes there and back, and refuses what is not canonical`() {
        #expect(Base64URL.encode(Array("fooba".utf8)) == Array("Zm9vYmE".utf8))
        #expect(Base64URL.encode([0xFB, 0xFF]) == Array("-_8".utf8))
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 97 &+ count) }
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
        for bad in ["A", "Zg==", "Zh", "Z+8", "Zm9vY"] {
            #expect(Base64URL.decode(Array(bad.utf8)) == nil)
        }
    }
}
