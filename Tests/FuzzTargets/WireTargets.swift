import AMQP
import HTTP2

extension FuzzTarget {
    /// Reads a broker's bytes: they end in an error or in events, and the session still answers or reports that it is
    /// closed.
    static func amqpSession(_ input: [UInt8]) {
        let session = AMQPSession(
            AMQPSessionConfiguration(
                user: "u",
                password: "p",
                connectionName: "fuzz",
                frameMax: 4096,
                bodyLimit: 4096,
                confirms: (input.first ?? 0) & 1 == 1
            )
        )
        do throws(AMQPError) {
            for piece in pieces(input) { try feed(session, Array(piece)) }
            if session.state == .open {
                _ = try session.publish(OutboundMessage(exchange: "x", routingKey: "k", body: [1]))
                try session.acknowledge(1)
            }
        } catch {
            precondition(!"\(error)".isEmpty, "an error without words")
        }
        session.drain { precondition($0.count < 1 << 20, "output without end") }
    }

    private static func feed(_ session: AMQPSession, _ bytes: [UInt8]) throws(AMQPError) {
        let result = bytes.withUnsafeBytes { raw -> Result<Void, AMQPError> in
            do throws(AMQPError) {
                return .success(
                    try session.receive(raw) { event in
                        if case .message(let message) = event {
                            precondition(message.body.count <= 4096, "over the limit")
                        }
                    }
                )
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Reads a server's bytes: every request ends at most once, and the session never sends more than it was asked to.
    static func http2Client(_ input: [UInt8]) {
        do throws(HTTP2Error) {
            var configuration = HTTP2ClientSession.Configuration()
            configuration.streamsMax = 8
            let session = try HTTP2ClientSession(configuration: configuration)
            var buffer = [UInt8](repeating: 0, count: 1000 + HTTP2ClientSession.frameBytesMax)
            for tag in 1...3 as ClosedRange<UInt64> {
                _ = try session.submit(now: 0) { request in
                    request.tag = tag
                    request.setHeaders(headers)
                    Array("/3/device/1".utf8).withUnsafeBytes { request.setPath($0) }
                    Array("id".utf8).withUnsafeBytes { request.setPerRequestValue($0) }
                    Array("{}".utf8).withUnsafeBytes { request.setBody($0) }
                    return true
                }
            }
            var ended: Set<UInt64> = []
            drain(session, &buffer)
            do throws(HTTP2Error) {
                for piece in pieces(input) {
                    try receive(Array(piece)) { raw throws(HTTP2Error) in try session.receive(raw) }
                    session.takeEnded { end in precondition(ended.insert(end.tag).inserted, "a request ended twice") }
                    _ = session.takeEvents()
                    drain(session, &buffer)
                }
            } catch {
                precondition(!"\(error)".isEmpty, "an error without words")
            }
            session.endAll { end in precondition(ended.insert(end.tag).inserted, "a request ended twice") }
            precondition(ended == [1, 2, 3], "a request without an end")
        } catch {
            preconditionFailure("no session: \(error)")
        }
    }

    /// Reads a client's bytes: complete requests are answered, and nothing grows without bound.
    static func http2Server(_ input: [UInt8]) {
        do throws(HTTP2Error) {
            let session = try HTTP2ServerSession()
            var buffer = [UInt8](repeating: 0, count: 15_000 + HTTP2ServerSession.frameBytesMax)
            for piece in pieces(input) {
                try receive(Array(piece)) { raw throws(HTTP2Error) in try session.receive(raw) }
                var streams: [Int32] = []
                session.takeRequests { request in
                    precondition(request.body.count <= 65_536, "a body over the limit")
                    streams.append(request.streamID)
                }
                for stream in streams { try session.respond(streamID: stream, status: 200, body: [1]) }
                var total = 0
                while true {
                    let count = try sent(session, &buffer)
                    if count == 0 { break }
                    total += count
                    precondition(total < 1 << 22, "output without end")
                }
            }
        } catch {
            precondition(!"\(error)".isEmpty, "an error without words")
        }
    }

    private static let headers = PreparedHeaders(
        authority: "localhost",
        fields: [HeaderField("apns-topic", "com.example.news")],
        perRequestName: "apns-id"
    )

    private static func drain(_ session: HTTP2ClientSession, _ buffer: inout [UInt8]) {
        var total = 0
        while true {
            let count = buffer.withUnsafeMutableBytes { session.drain(into: $0, threshold: 1000) }
            if count == 0 { return }
            total += count
            precondition(total < 1 << 22, "output without end")
        }
    }

    private static func sent(_ session: HTTP2ServerSession, _ buffer: inout [UInt8]) throws(HTTP2Error) -> Int {
        let result = buffer.withUnsafeMutableBytes { raw -> Result<Int, HTTP2Error> in
            do throws(HTTP2Error) {
                return .success(try session.drain(into: raw, threshold: 15_000))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private static func receive(
        _ bytes: [UInt8],
        _ body: (UnsafeRawBufferPointer) throws(HTTP2Error) -> Void
    ) throws(HTTP2Error) {
        let result = bytes.withUnsafeBytes { raw -> Result<Void, HTTP2Error> in
            do throws(HTTP2Error) {
                return .success(try body(raw))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }
}
