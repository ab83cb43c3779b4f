import Testing

@testable import Simulator

@Suite struct TokenTableTests {
    @Test func `every token keeps its own counts while the table grows`() {
        var table = TokenTable()
        let accepted = Reaction.answer(APNsAnswers.accepted)
        for round in 1...2 {
            for number in 0..<5000 where round == 1 || number.isMultiple(of: 5) {
                let token = DeviceTokenKey(head: SIMD4(UInt64(number), 0, 0, 1))
                table.update(token, hash: token.hash64) { $0.note(accepted, judged: true) }
            }
        }
        #expect(table.distinct == 5000)
        #expect(table.repeated == 1000)
        let entries = table.entries(from: 0, most: 10_000)
        #expect(entries.count == 5000)
        for (token, counts) in entries {
            #expect(counts.accepted == (token.head[0].isMultiple(of: 5) ? 2 : 1))
            #expect(table.counts(of: token, hash: token.hash64) == counts)
        }
    }

    @Test func `a register's pages hold every token once, long ones too`() throws {
        let register = TokenRegister()
        var expected: Set<String> = []
        for number in 0..<300 {
            let length = number.isMultiple(of: 10) ? 80 : 64
            let text = String(repeating: "0", count: length - 3) + String(number + 100)
            expected.insert(text)
            let token = try #require(DeviceTokenKey(hexadecimal: Array(text.utf8)[...]))
            #expect(token.text == text)
            register.update(token) { $0.note(.answer(APNsAnswers.accepted), judged: true) }
        }
        var cursor = TokenRegister.Cursor()
        var seen: [String] = []
        while let page = register.page(after: &cursor, most: 2) { seen += page.map(\.0.text) }
        #expect(seen.count == 300)
        #expect(Set(seen) == expected)
        #expect(register.totals == (300, 0))
    }
}
