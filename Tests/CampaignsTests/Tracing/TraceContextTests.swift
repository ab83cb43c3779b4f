import Campaigns
import Testing

/// The examples and rules of W3C Trace Context, section 3.2.
@Suite struct TraceContextTests {
    private let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private let span = "00f067aa0ba902b7"

    @Test func `trace, span and the flag are read`() throws {
        let sampled = try #require(TraceContext("00-\(trace)-\(span)-01"))
        #expect(sampled.traceID == trace && sampled.spanID == span && sampled.isSampled)
        #expect(TraceContext("00-\(trace)-\(span)-00")?.isSampled == false)
        #expect(TraceContext("00-\(trace)-\(span)-03")?.isSampled == true)
        // A later version is read like this one, whatever follows.
        #expect(TraceContext("cc-\(trace)-\(span)-01-what-ever")?.traceID == trace)
    }

    @Test(arguments: [
        "", "00", "00-TRACE-SPAN", "ff-TRACE-SPAN-01", "00-TRACE-SPAN-01-more", "00-TRACE-SPAN-1", "00-TRACE-SPAN-0g",
        "0-TRACE-SPAN-01", "00-4BF92F3577B34DA6A3CE929D0E0E4736-SPAN-01", "00-00000000000000000000000000000000-SPAN-01",
        "00-TRACE-0000000000000000-01", "00-TRACE0-SPAN-01", "00_TRACE_SPAN_01",
    ])
    func `what is none is ignored`(text: String) {
        #expect(TraceContext(text.replacing("TRACE", with: trace).replacing("SPAN", with: span)) == nil)
    }
}
