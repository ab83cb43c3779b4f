import Servers
import Testing

@testable import WebServing

/// The version of HTTP that a connection begins with.
@Suite struct HTTP2PrefaceTests {
    @Test func `the first bytes tell which HTTP it is, as soon as they can`() {
        #expect(HTTP2Preface.isHTTP2(Array("".utf8)) == nil)
        #expect(HTTP2Preface.isHTTP2(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r".utf8)) == nil)
        #expect(HTTP2Preface.isHTTP2(RawFrames.preface) == true)
        #expect(HTTP2Preface.isHTTP2(RawFrames.preface + [0, 0]) == true)
        for text in ["GET / HTTP/1.1\r\n", "PUT", "PRI * HTTP/1.1\r\n", "\u{16}\u{3}\u{1}"] {
            #expect(HTTP2Preface.isHTTP2(Array(text.utf8)) == false, "\(text)")
        }
    }
}
