import Campaigns
import PushProviders
import Testing

struct ClockSkewTests {
    /// The instant 2026-11-21 19:30:00 UTC.
    private let date = "Sat, 21 Nov 2026 19:30:00 GMT"
    private let theirs = Timestamp(milliseconds: 1_795_289_400_000)

    private func skew(_ date: String, after span: Duration) -> ClockSkew? {
        ClockSkew(date: Array(date.utf8).span, now: theirs.advanced(by: span))
    }

    @Test(arguments: [
        (0, "0 s ahead of"), (59, "59 s ahead of"), (-59, "59 s behind"), (119, "119 s ahead of"),
        (120, "2 min ahead of"), (4200, "70 min ahead of"), (-4200, "70 min behind"), (-4199, "70 min behind"),
        (86_400, "1440 min ahead of"),
    ])
    func `P14: the skew is this clock minus the date, in both directions`(seconds: Int, words: String) throws {
        let skew = try #require(self.skew(date, after: .seconds(seconds)))
        #expect(skew.lead == .seconds(seconds))
        #expect(skew.text == "this machine's clock is \(words) the provider's")
        #expect(skew.isNoteworthy == (abs(seconds) >= 60))
    }

    @Test func `P14: the diagnosis names clock skew only where there is one`() throws {
        let wrong = ClockSkew.diagnosis(skew(date, after: .seconds(4200)))
        #expect(wrong == "clock skew: this machine's clock is 70 min ahead of the provider's; set it right")
        let right = ClockSkew.diagnosis(skew(date, after: .seconds(1)))
        #expect(right.hasPrefix("no clock skew") && right.contains("key_file"))
        #expect(ClockSkew.diagnosis(nil).contains("no date"))
    }

    @Test(arguments: ["", "yesterday", "Sat, 21 Nov 2026", String(repeating: "9", count: 65)])
    func `a date that cannot be read shows no skew`(text: String) {
        #expect(skew(text, after: .zero) == nil)
    }
}
