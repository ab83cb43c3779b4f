import Campaigns
import Sanitizers
import Testing

@Suite struct DeviceBatchTests {
    private func token(_ batch: DeviceBatch, _ position: Int) -> [UInt8] {
        Array(batch.tokens[batch.tokenRange(at: position)])
    }

    @Test func `tokens of one length and of many are found again`() {
        var batch = DeviceBatch()
        batch.append(token: [1, 2])
        batch.append(token: [3, 4])
        #expect(token(batch, 1) == [3, 4])
        batch.append(token: [5])
        batch.append(token: [6, 7, 8])
        #expect((0..<4).map { token(batch, $0) } == [[1, 2], [3, 4], [5], [6, 7, 8]])
    }

    @Test func `a variable that comes late is absent before`() {
        var batch = DeviceBatch()
        batch.append(token: [1])
        batch.append(token: [2], variables: ["b": "x"])
        batch.append(token: [3], variables: ["a": ""])
        #expect(batch.variables.map(\.name) == ["a", "b"])
        #expect(batch.variables.map(\.values) == [[nil, nil, []], [nil, Array("x".utf8), nil]])
    }

    @Test func `columns are read as they were written`() throws {
        var random = MutationGenerator(seed: 9)
        for count in 0..<60 {
            let batch = ShardFixtures.batch(count, with: &random)
            let bytes = try batch.encoded()
            let read = try DeviceBatch(encoded: bytes)
            #expect(read == batch)
            #expect(read.byteCount == batch.byteCount)
            #expect(try read.encoded() == bytes)
        }
    }

    @Test func `a subset is what its devices alone would be`() {
        var random = MutationGenerator(seed: 10)
        let batch = ShardFixtures.batch(50, with: &random)
        let positions: [UInt16] = [3, 4, 17, 49]
        let subset = batch.subset(positions)
        #expect(subset.count == 4)
        for (index, position) in positions.enumerated() {
            #expect(token(subset, index) == token(batch, Int(position)))
            #expect(subset.variables.map { $0.values[index] } == batch.variables.map { $0.values[Int(position)] })
        }
        #expect(subset.withoutVariables().variables.isEmpty)
        #expect(batch.subset((0..<50).map { $0 }) == batch)
    }

    @Test func `a field that has no form in the columns is an error, not a trap`() {
        let long = [UInt8](repeating: 1, count: 65_535)
        var uneven = DeviceBatch()
        uneven.append(token: [1])
        uneven.append(token: long)
        #expect(throws: ShardError.self) { try uneven.encoded() }
        var wordy = DeviceBatch()
        wordy.append(token: [1], variables: ["a": String(repeating: "a", count: 65_535)])
        #expect(throws: ShardError.self) { try wordy.encoded() }
    }

    @Test func `mutated columns never trap`() throws {
        var random = MutationGenerator(seed: 11)
        var refused = 0
        for _ in 0..<Sanitizer.rounds(3_000) {
            var bytes = try ShardFixtures.batch(5, with: &random).encoded()
            bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            guard let batch = try? DeviceBatch(encoded: bytes) else {
                refused += 1
                continue
            }
            for position in 0..<batch.count { #expect(batch.tokenRange(at: position).upperBound <= batch.tokens.count) }
        }
        #expect(refused > 0)
    }
}
