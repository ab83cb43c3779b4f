import Campaigns
import Store
import Testing

@Suite struct TokenFilterTests {
    private func device(_ number: Int, _ provider: ProviderName = .apns) -> (provider: ProviderName, token: [UInt8]) {
        (provider, (0..<32).map { UInt8(truncatingIfNeeded: $0 < 8 ? number >> ($0 * 8) : $0) })
    }

    @Test func `of devices that are alike the first is new, within a call and over calls`() throws {
        let filter = try TokenFilter()
        let first = try filter.areNew([device(7), device(3), device(7), device(1)])
        #expect(first == [true, true, false, true])
        let second = try filter.areNew([device(3), device(2), device(2)])
        #expect(second == [false, true, false])
        #expect(try filter.areNew([]).isEmpty)
    }

    @Test func `the same token of another provider is another device`() throws {
        let filter = try TokenFilter()
        let fcm = ProviderName(rawValue: "fcm")
        #expect(try filter.areNew([device(1), device(1, fcm), device(1, fcm)]) == [true, true, false])
    }

    @Test func `more devices than fit into the memory that it takes are told apart as well`() throws {
        let filter = try TokenFilter()
        // 900,000 hashes are three runs in the temporary database, and the latest in memory.
        for start in stride(from: 0, to: 900_000, by: 30_000) {
            let new = try filter.areNew((start..<start + 30_000).map { device($0) })
            #expect(new.allSatisfy { $0 })
        }
        let mixed = try filter.areNew((0..<1000).map { device($0 * 1000) })
        #expect(mixed.prefix(900).allSatisfy { !$0 })
        #expect(mixed.suffix(100).allSatisfy { $0 })
        // All of a run are found again, wherever they are in it; what was never entered is not.
        let seen = try filter.wereSeen((300_000..<310_000).map { device($0) })
        #expect(seen.allSatisfy { $0 })
        let strangers = try filter.wereSeen((2_000_000..<2_010_000).map { device($0) })
        #expect(!strangers.contains(true))
    }
}
