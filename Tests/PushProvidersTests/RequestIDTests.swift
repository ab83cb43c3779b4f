import Campaigns
import PushProviders
import Testing

struct RequestIDTests {
    private let campaign = CampaignHash(app: "news", id: "derby-2026")

    @Test func `an id is a canonical UUID of version 8 and the RFC variant`() throws {
        for device: UInt32 in [0, 1, 499, 4_000_000, .max] {
            let text = RequestID.text(campaign: campaign, device: device)
            let groups = text.split(separator: "-")
            #expect(groups.map(\.count) == [8, 4, 4, 4, 12])
            #expect(text.utf8.allSatisfy { "0123456789abcdef-".utf8.contains($0) })
            let digits = Array(groups.joined())
            #expect(digits[12] == "8")
            #expect("89ab".contains(digits[16]))
        }
    }

    @Test func `an id holds all 64 bits of the hash and the index`() throws {
        for device: UInt32 in [0, 7, 0xdead_beef] {
            let text = RequestID.text(campaign: campaign, device: device)
            let digits = text.filter { $0 != "-" }
            let high = try #require(UInt64(digits.prefix(16), radix: 16))
            let low = try #require(UInt64(digits.suffix(16), radix: 16))
            let hash = (high >> 16) << 16 | (high & 0x0fff) << 4 | (low >> 58) & 0xf
            #expect(hash == campaign.bits)
            #expect(low & 0xffff_ffff == UInt64(device))
            #expect(low >> 62 == 0b10)
        }
    }

    @Test func `an id never changes from version to version`() {
        // Requests in flight during a fleet's upgrade keep their ids.
        #expect(campaign.bits == 0xd62b_91ea_ed82_b624)
        #expect(RequestID.text(campaign: campaign, device: 7) == "d62b91ea-ed82-8b62-9000-000000000007")
    }

    @Test func `app and id are told apart`() {
        #expect(CampaignHash(app: "ab", id: "c") != CampaignHash(app: "a", id: "bc"))
    }

    @Test func `neighbouring ids differ in many bits`() {
        let hashes = (0..<1000).map { CampaignHash(app: "news", id: "run-\($0)").bits }
        #expect(Set(hashes).count == 1000)
        #expect(Set(hashes.map { $0 >> 48 }).count > 900)
    }
}
