import Campaigns
import Sanitizers
import Testing

@Suite struct ShardCodecTests {
    private func encoded(_ change: (inout Shard) -> Void) throws -> [UInt8] {
        var random = MutationGenerator(seed: 1)
        var shard = ShardFixtures.shard(with: &random)
        shard.facts.personal = PersonalContent()
        change(&shard)
        return try shard.encoded()
    }

    @Test func `a shard is read as it was written, and written twice as the same bytes`() throws {
        var random = MutationGenerator(seed: 42)
        for _ in 0..<200 {
            let shard = ShardFixtures.shard(with: &random)
            let bytes = try shard.encoded()
            #expect(try shard.encoded() == bytes)
            let read = try Shard(encoded: bytes)
            #expect(read == shard)
            #expect(try read.encoded() == bytes)
        }
    }

    @Test func `columns that are encoded already give the same shard`() throws {
        var random = MutationGenerator(seed: 3)
        let shard = ShardFixtures.shard(with: &random)
        #expect(try Shard.encode(shard, devices: shard.devices.encoded()) == shard.encoded())
    }

    @Test func `bytes cut off anywhere are an error or a lesser shard, never a trap`() throws {
        let bytes = try encoded { _ in }
        var errors = 0
        for length in 0..<bytes.count {
            do {
                _ = try Shard(encoded: Array(bytes[..<length]))
            } catch {
                errors += 1
                #expect(!error.description.isEmpty)
            }
        }
        #expect(errors > bytes.count / 2)
    }

    @Test func `mutated bytes never trap, and what is read can be used`() throws {
        var random = MutationGenerator(seed: 5)
        var read = 0
        for _ in 0..<Sanitizer.rounds(3_000) {
            var bytes = try ShardFixtures.shard(with: &random).encoded()
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard let shard = try? Shard(encoded: bytes) else { continue }
            read += 1
            for position in 0..<shard.devices.count {
                #expect(shard.devices.tokenRange(at: position).upperBound <= shard.devices.tokens.count)
                _ = shard.deviceIndex(at: position)
            }
            _ = try shard.encoded()
            #expect(shard.id.childPath(rung: .seconds5, attempt: shard.attempt + 1).utf8.count <= ShardID.pathMax)
        }
        #expect(read > 0)
    }

    @Test func `garbage is no shard`() {
        var random = MutationGenerator(seed: 6)
        for length in 0..<300 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(throws: ShardError.self) { try Shard(encoded: bytes) }
        }
    }

    @Test func `C11: what would overflow or repeat a device is refused`() throws {
        let changes: [(inout Shard) -> Void] = [
            { $0.attempt = .max }, { $0.attempt = 0 }, { $0.generation = 0 }, { $0.id.key.campaign = 0 },
            { $0.firstIndex = .max }, { $0.positions = Array(repeating: 4, count: $0.devices.count) },
            { $0.positions = [1, 2] + Array(repeating: 3, count: $0.devices.count) },
            { $0.positions = (0..<UInt16($0.devices.count)).map { 500 + $0 } },
            { $0.facts.expiresAt = Timestamp(milliseconds: .min) }, { $0.notBefore = Timestamp(milliseconds: .max) },
            { $0.facts.collapseID = String(repeating: "c", count: 65) }, { $0.facts.app = "" },
            { ($0.facts.payload, $0.facts.messageIDAt) = (Array("{}".utf8), 1) },
            { ($0.facts.payload, $0.facts.messageIDAt) = ([UInt8](repeating: 0, count: 60), 38) },
            { ($0.facts.payload, $0.facts.messageIDAt) = ([UInt8](repeating: 0, count: 60), 6) },
            { $0.facts.messageIDAt = .max }, { $0.devices = DeviceBatch() },
            { $0.id.path = String(repeating: ".5sa1", count: 99) },
        ]
        for change in changes {
            let bytes = try encoded(change)
            let error = #expect(throws: ShardError.self) { try Shard(encoded: bytes) }
            #expect(error?.reason == "MalformedShard")
        }
    }

    @Test func `C9: an unknown major version is told apart`() throws {
        var bytes = try encoded { _ in }
        #expect(Array(bytes.prefix(2)) == [8, 1])  // field 1, varint
        bytes[1] = 3
        #expect(throws: ShardError.unknownVersion(3)) { try Shard(encoded: bytes) }
    }

    @Test func `only a shard with templates has the version that older workers park`() throws {
        #expect(Array(try encoded { _ in }.prefix(2)) == [8, 1])
        for personal in [
            PersonalContent(placeholders: [TemplatePlaceholder(at: 0, source: "{{ a }}")]),
            PersonalContent(collapseID: "{{ a }}"),
        ] {
            let bytes = try encoded { $0.facts.personal = personal }
            #expect(Array(bytes.prefix(2)) == [8, 2])
            let shard = try Shard(encoded: bytes)
            #expect(shard.facts.personal == personal)
            #expect(try shard.encoded() == bytes)
        }
    }

    @Test func `templates beyond the payload, out of order or within the message id are malformed`() throws {
        let payload = Array(#"{"fanfare":{"v":1,"m":"----------------------"}}"#.utf8)
        let places: [[UInt32]] = [[49], [3, 2], [18], [23], [30], [45], [.max]]
        for places in places {
            let bytes = try encoded { shard in
                (shard.facts.payload, shard.facts.messageIDAt) = (payload, 23)
                shard.facts.personal.placeholders = places.map { TemplatePlaceholder(at: $0, source: "x") }
            }
            let error = #expect(throws: ShardError.self, "\(places)") { try Shard(encoded: bytes) }
            #expect(error?.reason == "MalformedShard")
        }
    }

    @Test func `a field of a later version is no error, and is handed on`() throws {
        let bytes = try encoded { _ in }
        let later: [UInt8] = [0xF8, 0x3F, 1]  // field 1023, varint 1
        var shard = try Shard(encoded: bytes + later)
        #expect(shard.laterFields == later)
        #expect(try shard.encoded() == bytes + later)
        // At any position in the message.
        #expect(try Shard(encoded: bytes.prefix(2) + later + bytes.dropFirst(2)) == shard)
        shard.laterFields = []
        #expect(try shard == Shard(encoded: bytes))
    }

    @Test func `a shard without a place for message ids is what it was before there were any`() throws {
        let payload = Array(#"{"fanfare":{"v":1,"m":"----------------------"}}"#.utf8)
        let with = try encoded { ($0.facts.payload, $0.facts.messageIDAt) = (payload, 23) }
        let without = try encoded { ($0.facts.payload, $0.facts.messageIDAt) = (payload, nil) }
        #expect(with == without + [0xD8, 0x01, 23])  // field 27, varint; the last one
        #expect(try Shard(encoded: without).facts.messageIDAt == nil)
        let shard = try Shard(encoded: with)
        #expect(shard.facts.messageIDAt == 23)
        let bare = shard.facts.withoutMessageID()
        #expect(String(decoding: bare.payload, as: UTF8.self) == #"{"fanfare":{"v":1}}"#)
        #expect(bare.messageIDAt == nil && bare.withoutMessageID() == bare)
    }

    @Test func `a retry shard keeps the index of its devices`() throws {
        let bytes = try encoded { shard in
            shard.firstIndex = 1_000
            shard.positions = (0..<UInt16(shard.devices.count)).map { $0 * 2 + 1 }
        }
        let shard = try Shard(encoded: bytes)
        #expect(shard.chunkPosition(at: 0) == 1)
        #expect(shard.deviceIndex(at: 0) == 1_001)
    }
}

@Suite struct ShardIDTests {
    private let root = ShardID(key: ShardKey(campaign: 12, part: 0, ordinal: 7))

    @Test func `ids are written as the design says`() {
        #expect(root.messageID(generation: 3) == "12.0.7#3")
        #expect(root.childPath(rung: .seconds30, attempt: 2) == ".30sa2")
        #expect(ShardID(key: root.key, path: ".30sa2").description == "12.0.7.30sa2")
    }

    @Test func `a path grows for ever without outgrowing a message id, and stays unique`() {
        var id = root
        var paths: Set<String> = []
        for _ in 0..<2_000 {
            id.path = id.childPath(rung: .seconds5, attempt: 1)
            #expect(paths.insert(id.path).inserted)
            #expect(id.path.utf8.count <= ShardID.pathMax)
        }
        #expect(id.childPath(rung: .seconds5, attempt: 1) != id.childPath(rung: .hours2, attempt: 1))
    }
}
