import PushProviders
import Testing

@testable import Simulator

/// Sender and simulator have separate readers, so that they cannot share a mistake; both are tested with one table.
@Suite struct Base64URLTests {
    /// The codec of one of them.
    struct End: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let encode: @Sendable ([UInt8]) -> [UInt8]
        let decode: @Sendable ([UInt8]) -> [UInt8]?

        static let both = [
            End(
                testDescription: "ours",
                encode: { PushProviders.Base64URL.encode($0) },
                decode: { PushProviders.Base64URL.decode($0) }
            ),
            End(
                testDescription: "the simulator's",
                encode: { Simulator.Base64URL.encode($0) },
                decode: { Simulator.Base64URL.decode($0) }
            ),
        ]
    }

    @Test(arguments: End.both)
    func `base64url goes there and back, and refuses what is not canonical`(end: End) {
        #expect(end.encode(Array("fooba".utf8)) == Array("Zm9vYmE".utf8))
        #expect(end.encode([0xFB, 0xFF]) == Array("-_8".utf8))
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 97 &+ count) }
            #expect(end.decode(end.encode(bytes)) == bytes)
        }
        for bad in ["A", "Zg==", "Zh", "Z+8", "Zm9vY"] {
            #expect(end.decode(Array(bad.utf8)) == nil)
        }
    }
}
