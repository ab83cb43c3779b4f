import Testing

@testable import Campaigns

/// The integers that apps of other systems parse.
struct LegacyNumbersTests {
    @Test func `numbers fit Android's int, and those of campaigns differ`() {
        let all = (0..<10_000).map { LegacyNumbers(app: "news", id: "derby-\($0)") }
        for numbers in all {
            #expect((1...Int(Int32.max)).contains(numbers.message) && (1...Int(Int32.max)).contains(numbers.delivery))
        }
        #expect(Set(all.map(\.message)).count == all.count && Set(all.map(\.delivery)).count == all.count)
        #expect(LegacyNumbers(app: "news", id: "derby-1") == all[1])
        #expect(LegacyNumbers(app: "shop", id: "derby-1") != all[1])
    }

    @Test(arguments: ["", "f", "fo", "foo", "foob", "fooba", "foobar"].enumerated().map { ($0, $1) })
    func `Base64 is decoded as RFC 4648 says, section 10`(_ index: Int, _ text: String) {
        let encoded = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"][index]
        #expect(Base64Text.decode(encoded) == Array(text.utf8))
        #expect(Base64Text.decode(encoded + "=") == nil && Base64Text.decode("-" + encoded) == nil)
    }
}
