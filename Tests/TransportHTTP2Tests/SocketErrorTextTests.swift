import Glibc
import NIOCore
import Testing

@testable import Transport

@Suite struct SocketErrorTextTests {
    @Test(arguments: [
        (ECONNRESET, "connection reset by peer"), (ECONNREFUSED, "connection refused"),
        (ETIMEDOUT, "no answer in time"), (EPIPE, "the peer closed the connection"), (ENOTBLK, "system error 15"),
    ])
    func `an error of a socket has words, without NIO's function and errno's number`(code: CInt, words: String) {
        let error = IOError(errnoCode: code, reason: "read(descriptor:pointer:size:)")
        #expect(SocketErrorText.words(error) == words)
    }

    @Test func `errors of channels have words, and others speak for themselves`() {
        #expect(SocketErrorText.words(ChannelError.connectTimeout(.seconds(1))) == "no answer in time")
        #expect(SocketErrorText.words(ChannelError.ioOnClosedChannel) == "the connection is closed")
        #expect(SocketErrorText.words(HTTP1Error.broken("a:1 hung up")) == "a:1 hung up")
    }

    @Test func `a peer that hangs up is not said to speak another protocol`() {
        let reset = IOError(errnoCode: ECONNRESET, reason: "read")
        let end = SocketErrorText.end(of: "a:1", speaking: "HTTP/1.1", reset)
        #expect(end == "the connection to a:1 broke: connection reset by peer")
        let garbage = SocketErrorText.end(of: "a:1", speaking: "HTTP/1.1", HTTP1Error.broken("garbage"))
        #expect(garbage == "a:1 does not speak HTTP/1.1: garbage")
    }
}
