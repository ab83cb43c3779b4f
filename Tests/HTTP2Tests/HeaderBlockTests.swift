import Sanitizers
import Testing

@testable import HTTP2

/// Header blocks of requests, read back by nghttp2.
@Suite struct HeaderBlockTests {
    @Test func `integers are those of RFC 7541 appendix C.1`() {
        func bytes(_ value: Int, _ prefixBits: Int) -> [UInt8] {
            var room = [UInt8](repeating: 0, count: HPACKBytes.integerBytesMax)
            let count = room.withUnsafeMutableBytes {
                HPACKBytes.write(value, prefixBits: prefixBits, to: $0.baseAddress!)
            }
            return Array(room.prefix(count))
        }
        #expect(bytes(10, 5) == [0x0A])
        #expect(bytes(1337, 5) == [0x1F, 0x9A, 0x0A])
        #expect(bytes(127, 7) == [0x7F, 0x00])
        #expect(bytes(126, 7) == [0x7E])
        #expect(bytes(Int.max, 4).count <= HPACKBytes.integerBytesMax)
    }

    @Test func `the static table is that of RFC 7541 appendix A`() throws {
        #expect(HeaderTable.fixed.count == 61)
        for (position, field) in HeaderTable.fixed.enumerated() {
            let peer = try ScriptedPeer()
            var block: [UInt8] = []
            HPACKBytes.appendIndexed(position + 1, to: &block)
            #expect(try peer.decode(block) == [field])
        }
    }

    @Test func `what Apple asks for: which fields are indexed, at first and later`() throws {
        let peer = try ScriptedPeer()
        var blocks: [[UInt8]] = []
        for tag: UInt64 in 1...3 {
            try peer.submit(tag: tag)
            let headers = try #require(peer.hear().first)
            blocks.append(headers.payload)
            #expect(
                try peer.decode(headers.payload) == [
                    HeaderField(":method", "POST"), HeaderField(":scheme", "https"),
                    HeaderField(":authority", "localhost"), HeaderField(":path", "/3/device/\(tag)"),
                    HeaderField("apns-topic", "com.example.news"), HeaderField("apns-expiration", "1790000000"),
                    HeaderField("authorization", "bearer secret-token"), HeaderField("apns-id", "id-\(tag)"),
                ]
            )
        }
        // Indexed fields in one byte; :path, apns-expiration and apns-id as literals without indexing; authorization
        // never indexed. Table: 65 authority, 64 topic, 63 expiration, 62 id.
        let pieces: [([UInt8], String)] = [
            ([0x83, 0x87, 0xC1, 0x04, 11], "/3/device/2"), ([0xC0, 0x0F, 63 - 15, 10], "1790000000"),
            ([0x1F, 23 - 15, 19], "bearer secret-token"), ([0x0F, 62 - 15, 4], "id-2"),
        ]
        #expect(blocks[1] == pieces.flatMap { $0.0 + Array($0.1.utf8) })
        #expect(blocks[2].count == blocks[1].count)
        // The first request introduces them.
        let introduced: [([UInt8], String)] = [([0x40, 7], "apns-id"), ([4], "id-1")]
        let tail = Array(blocks[0].suffix(14))
        #expect(tail == introduced.flatMap { $0.0 + Array($0.1.utf8) })
    }

    @Test func `a block that is longer than a frame is continued`() throws {
        let pair = try HTTP2Pair()
        try pair.pump()
        let path = "/3/device/" + String(repeating: "ab", count: 20_000)
        try pair.submit(tag: 1)
        try pair.submit(tag: 2, path: path)
        try pair.submit(tag: 3)
        let bytes = HTTP2Pair.output { pair.client.drain(into: $0, threshold: 15_000) }
        try bytes.withUnsafeBytes { try pair.server.receive($0) }
        var paths: [String] = []
        pair.server.takeRequests { paths.append(String(decoding: $0.value(of: ":path") ?? [], as: UTF8.self)) }
        #expect(paths == ["/3/device/1", path, "/3/device/3"])
    }

    @Test(arguments: [0, 100, 4096, 100_000])
    func `blocks stay readable whatever is sent and however the peer's table changes`(first: UInt32) throws {
        let peer = try ScriptedPeer()
        var random = Random(state: UInt64(first) + 1)
        var encoder = RequestEncoder()
        encoder.limitTable(to: first)
        let blocks = (0..<12).map { _ in random.headers() }
        for _ in 0..<Sanitizer.rounds(3000) {
            if random.below(50) == 0 {
                encoder.limitTable(to: 300)
                encoder.limitTable(to: UInt32(random.below(5000)))
            }
            // Mostly the same as before, as with shards.
            let (headers, fields) = blocks[random.below(random.below(4) == 0 ? 12 : 2)]
            let path = random.text(80)
            let id = random.text(40)
            let bytes: [UInt8] = path.withUnsafeBytes { path in
                id.withUnsafeBytes { id -> [UInt8] in
                    encoder.hold(Unmanaged.passUnretained(headers), perRequest: id)
                    var room = [UInt8](
                        repeating: 0,
                        count: encoder.byteCountMax(path: path.count, perRequest: id.count)
                    )
                    let count = room.withUnsafeMutableBytes {
                        encoder.write(path: path, perRequest: id, to: $0.baseAddress!)
                    }
                    return Array(room.prefix(count))
                }
            }
            var expected = [HeaderField(":method", "POST"), HeaderField(":scheme", "https")]
            expected += [HeaderField(":authority", "localhost"), HeaderField(name: Array(":path".utf8), value: path)]
            expected += fields.map { HeaderField(name: $0.name, value: $0.value) }
            if headers.perRequestName != nil { expected.append(HeaderField(name: Array("apns-id".utf8), value: id)) }
            #expect(try peer.decode(bytes) == expected)
        }
        withExtendedLifetime(blocks) {}
    }

    @Test func `streams are found by their ids, as in a dictionary`() {
        var random = Random(state: 7)
        var index = StreamIndex(streamsMax: 100)
        var model: [Int32: Int32] = [:]
        var next: Int32 = 1
        for _ in 0..<Sanitizer.rounds(20_000) {
            if model.count < 100, random.below(2) == 0 {
                index.insert(next, index: next % 100)
                model[next] = next % 100
                // Leaps as large as the table cause collisions.
                next += random.below(10) == 0 ? 1024 : 2
            } else if let some = model.keys.sorted().randomElement(using: &random) {
                index.remove(some)
                model[some] = nil
            }
            index.remove(next)
            #expect(index.count == model.count)
            #expect(index.index(of: next) == nil)
            if let some = model.first { #expect(index.index(of: some.key) == some.value) }
        }
        #expect(model.allSatisfy { index.index(of: $0.key) == $0.value })
    }
}

/// Numbers that are the same in each run.
struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        self.state = self.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return self.state ^ self.state >> 29
    }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    mutating func text(_ countMax: Int) -> [UInt8] {
        (0..<self.below(countMax + 1)).map { _ in UInt8(33 + self.below(90)) }
    }

    /// Returns a block with fields of all kinds and sizes, and its fields.
    mutating func headers() -> (PreparedHeaders, [HeaderField]) {
        let names = ["apns-topic", "apns-priority", "content-type", "x", "authorization", "apns-collapse-id", "date"]
        let fields = (0..<self.below(10)).map { _ in
            HeaderField(
                name: Array(names[self.below(names.count)].utf8),
                value: self.text([3, 30, 300, 3000][self.below(4)]),
                indexing: [.indexed, .nameOnly, .never][self.below(3)]
            )
        }
        let name = self.below(4) == 0 ? nil : "apns-id"
        return (PreparedHeaders(authority: "localhost", fields: fields, perRequestName: name), fields)
    }
}
