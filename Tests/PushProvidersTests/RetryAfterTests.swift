import Campaigns
import PushProviders
import Testing

struct RetryAfterTests {
    /// The instant of the RFC's examples, 1994-11-06T08:49:37Z.
    private let then = Timestamp(milliseconds: 784_111_777_000)

    private func seconds(_ text: String, before: Duration = .zero) -> Int? {
        let bytes = Array(text.utf8)
        return RetryAfter.seconds(bytes.span, now: then.advanced(by: .zero - before))
    }

    @Test(arguments: [
        ("0", 0), ("1", 1), (" 120\t", 120), ("86400", 86_400), ("86401", 86_400), ("007", 7),
        ("99999999999999999999999999", 86_400),
    ])
    func `seconds are read and clamped to a day`(text: String, expected: Int) {
        #expect(seconds(text) == expected)
    }

    @Test(arguments: [
        "", " ", "-1", "+1", "1.5", "soon", "1 2", "1s", "0x10", "１", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 06 Now 1994 08:49:37 GMT", "06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 199 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT Sun, 06 Nov 1994 08:49:37 GMT Sun, 06 Nov 1994",
    ])
    func `what is no wait is ignored`(text: String) {
        #expect(seconds(text) == nil)
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func `a date in any of HTTP's forms is counted from now`(text: String) {
        #expect(seconds(text, before: .seconds(90)) == 90)
        #expect(seconds(text, before: .milliseconds(500)) == 1)
        #expect(seconds(text) == 0)
        #expect(seconds(text, before: .seconds(-90)) == 0)
        #expect(seconds(text, before: .seconds(90_000)) == 86_400)
    }
}
