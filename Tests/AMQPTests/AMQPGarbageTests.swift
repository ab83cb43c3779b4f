import AMQP
import Seeds
import Testing

/// Input of a hostile or broken peer; none of it may trap, and no session may grow without bound.
@Suite("Garbage from the peer")
struct AMQPGarbageTests {
    static func valid() -> [UInt8] {
        var script = BrokerScript()
        script.handshake(confirms: true)
        script.deliver([UInt8](repeating: 9, count: 5000), tag: 1)
        script.frame(8, channel: 0, [])
        let fields = BrokerScript.int16(312) + BrokerScript.short("NO_ROUTE") + BrokerScript.short("x")
        script.method(60, 50, channel: 1, fields + BrokerScript.short("k"))
        var table: [UInt8] = BrokerScript.short("a") + [UInt8(ascii: "F")]
        table += BrokerScript.long(BrokerScript.short("b") + [UInt8(ascii: "i"), 0, 0, 0, 1])
        script.header(bodySize: 3, [0x20, 0x80] + BrokerScript.long(table) + BrokerScript.short("id"))
        script.frame(3, channel: 1, [1, 2, 3])
        script.method(10, 60, channel: 0, BrokerScript.short("low on memory"))
        script.method(10, 61, channel: 0)
        script.method(60, 30, channel: 1, BrokerScript.short("c1") + [1])
        return script.bytes
    }

    /// Returns true if the session accepted everything.
    @discardableResult
    static func feed(_ bytes: [UInt8], chunk: Int) -> Bool {
        let session = AMQPSessionTests.session(confirms: true)
        var offset = 0
        while offset < bytes.count {
            let end = min(offset + chunk, bytes.count)
            do throws(AMQPError) {
                _ = try AMQPSessionTests.feed(session, Array(bytes[offset..<end]))
            } catch {
                return false
            }
            offset = end
        }
        return true
    }

    @Test func `B19: the unspoilt conversation is taken`() {
        #expect(Self.feed(Self.valid(), chunk: 1000))
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `B19: conversations with flipped, cut and repeated bytes end in an error or in peace`(seed: UInt64) {
        var random = SeededRandom(seed: seed &* 7919 &+ 1)
        let valid = Self.valid()
        var refused = 0
        for _ in 0..<250 {
            var bytes = valid
            for _ in 0...Int(random.next() % 4) {
                let at = Int(random.next() % UInt64(bytes.count))
                switch random.next() % 4 {
                case 0: bytes[at] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes[at] ^= 1 << UInt8(random.next() % 8)
                case 2: bytes.removeSubrange(at..<min(at + Int(random.next() % 20) + 1, bytes.count))
                default: bytes.insert(contentsOf: bytes[at..<min(at + 12, bytes.count)], at: at)
                }
            }
            if !Self.feed(bytes, chunk: 1 + Int(random.next() % 4096)) { refused += 1 }
        }
        #expect(refused > 0)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `B19: noise is refused`(seed: UInt64) {
        var random = SeededRandom(seed: seed &+ 99)
        // The first byte is no frame type, so that the outcome is known.
        let noise = [0x55] + (0..<4096).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        #expect(!Self.feed(noise, chunk: 512))
    }

    @Test(arguments: [10, 20, 40, 50, 60, 85, 90])
    func `B19: methods with arbitrary fields are refused or read`(classID: Int) {
        var random = SeededRandom(seed: UInt64(classID))
        for methodID in 0..<130 {
            for _ in 0..<10 {
                var script = BrokerScript()
                script.handshake(confirms: true)
                let fields = (0..<Int(random.next() % 40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                script.method(classID, methodID, channel: classID == 10 ? 0 : 1, fields)
                Self.feed(script.bytes, chunk: 4096)
            }
        }
    }

    @Test func `B19: a frame larger than agreed is refused by its header`() {
        #expect(!Self.feed([1, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF], chunk: 7))
        #expect(!Self.feed([1, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF], chunk: 7))
        #expect(!Self.feed([1, 0, 7, 0, 0, 0, 4], chunk: 7))
    }
}
