import Campaigns
import Testing

@Suite struct ListBuilderTests {
    private func device(_ index: Int, zone: String? = nil, variables: [String: String] = [:]) -> Device {
        Device(token: "\(index)", id: index % 7 == 0 ? "d\(index)" : nil, timeZone: zone, variables: variables)
    }

    private func token(_ index: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: index), UInt8(truncatingIfNeeded: index >> 8), 1]
    }

    private func build(_ devices: [Device], openMax: Int = 0) -> [ListChunk] {
        var builder = ListBuilder()
        var chunks: [ListChunk] = []
        for (index, device) in devices.enumerated() {
            if let chunk = builder.add(device, token: token(index)) { chunks.append(chunk) }
        }
        chunks += builder.finish()
        #expect(builder.deviceCount == UInt32(devices.count))
        return chunks
    }

    private func check(_ chunks: [ListChunk], devices: Int) {
        var next: UInt32 = 0
        for (ordinal, chunk) in chunks.enumerated() {
            #expect(chunk.ordinal == UInt32(ordinal))
            #expect(chunk.firstIndex == next)
            #expect((1...Shard.devicesMax).contains(chunk.devices.count))
            #expect(chunk.devices.byteCount <= Shard.bytesMax)
            #expect(chunk.deviceIDs.count == chunk.devices.count)
            next += UInt32(chunk.devices.count)
        }
        #expect(next == UInt32(devices))
    }

    @Test func `chunks are full, in order, and their indexes have no gap`() {
        let chunks = build((0..<1_234).map { device($0) })
        #expect(chunks.map(\.devices.count) == [500, 500, 234])
        check(chunks, devices: 1_234)
    }

    @Test func `devices of a chunk have everything in common`() {
        let devices = (0..<900).map { device($0, zone: ["Europe/Madrid", "Asia/Tokyo", nil][$0 % 3]) }
        let chunks = build(devices)
        #expect(chunks.count == 3)
        #expect(Set(chunks.map(\.group)).count == 3)
        check(chunks, devices: 900)
    }

    @Test func `more groups than may be open lose nothing and give the same chunks again`() {
        let devices = (0..<3_000).map { device($0, zone: "zone \($0 * 7 % 600)") }
        let chunks = build(devices)
        check(chunks, devices: 3_000)
        #expect(build(devices) == chunks)
        var tokens: Set<[UInt8]> = []
        for chunk in chunks {
            for position in 0..<chunk.devices.count {
                tokens.insert(Array(chunk.devices.tokens[chunk.devices.tokenRange(at: position)]))
            }
        }
        #expect(tokens.count == 3_000)
    }

    @Test func `large variables close a chunk before it is too large for a shard`() {
        let text = String(repeating: "x", count: 4_000)
        let devices = (0..<300).map { device($0, variables: ["a": text]) }
        let chunks = build(devices)
        #expect(chunks.count > 4)
        check(chunks, devices: 300)
    }

    @Test func `a device that is too large by itself gets a chunk of its own and no trap`() {
        var builder = ListBuilder()
        #expect(builder.add(device(0), token: token(0)) == nil)
        let first = builder.add(device(1), token: [UInt8](repeating: 1, count: 300_000))
        #expect(first?.devices.count == 1)
        #expect(builder.add(device(2), token: token(2))?.devices.count == 1)
        #expect(builder.finish().map(\.devices.count) == [1])
    }
}
