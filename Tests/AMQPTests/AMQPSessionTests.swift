import AMQP
import Testing

@Suite("An AMQP session, from bytes to events")
struct AMQPSessionTests {
    static func session(confirms: Bool = false, bodyLimit: Int = 1 << 20) -> AMQPSession {
        AMQPSession(
            AMQPSessionConfiguration(
                user: "u",
                password: "p",
                connectionName: "test",
                bodyLimit: bodyLimit,
                confirms: confirms
            )
        )
    }

    static func feed(_ session: AMQPSession, _ bytes: [UInt8]) throws(AMQPError) -> [AMQPEvent] {
        var events: [AMQPEvent] = []
        let result = bytes.withUnsafeBytes { raw -> Result<Void, AMQPError> in
            do throws(AMQPError) {
                return .success(try session.receive(raw) { events.append($0) })
            } catch {
                return .failure(error)
            }
        }
        try result.get()
        return events
    }

    static func output(_ session: AMQPSession) -> [UInt8] {
        var bytes: [UInt8] = []
        session.drain { bytes += $0 }
        return bytes
    }

    static func open(confirms: Bool = false, frameMax: Int = 131_072, bodyLimit: Int = 1 << 20) throws -> AMQPSession {
        let session = session(confirms: confirms, bodyLimit: bodyLimit)
        var script = BrokerScript()
        script.handshake(frameMax: frameMax, confirms: confirms)
        #expect(try feed(session, script.bytes) == [.opened])
        _ = output(session)
        return session
    }

    @Test func `the protocol header goes first and the login names our capabilities`() throws {
        let session = Self.session()
        #expect(Self.output(session) == Array("AMQP".utf8) + [0, 0, 9, 1])
        var script = BrokerScript()
        script.handshake()
        #expect(try Self.feed(session, script.bytes) == [.opened])
        let text = String(decoding: Self.output(session), as: UTF8.self)
        for name in ["consumer_cancel_notify", "connection.blocked", "publisher_confirms", "basic.nack", "test"] {
            #expect(text.contains(name))
        }
        #expect(session.heartbeat == 10)
    }

    @Test func `B18: bytes may come one at a time`() throws {
        let session = Self.session(confirms: true)
        var script = BrokerScript()
        script.handshake(confirms: true)
        script.deliver([UInt8](repeating: 7, count: 10_000))
        var events: [AMQPEvent] = []
        for byte in script.bytes { events += try Self.feed(session, [byte]) }
        #expect(events.count == 2)
        guard case .message(let message) = events.last else { throw Unexpected() }
        #expect(message.body == [UInt8](repeating: 7, count: 10_000))
        #expect(message.properties.messageID == "id-1")
        #expect(message.deliveryTag == 1)
    }

    @Test func `a body above the agreed frame size is split, and each frame keeps to it`() throws {
        let session = try Self.open(confirms: true, frameMax: 4096)
        #expect(session.frameMax == 4096)
        let body = (0..<10_000).map { UInt8(truncatingIfNeeded: $0) }
        #expect(try session.publish(OutboundMessage(exchange: "x", routingKey: "k", body: body)) == 1)
        let bytes = Self.output(session)
        var offset = 0
        var kinds: [UInt8] = []
        var joined: [UInt8] = []
        while offset < bytes.count {
            let size = bytes[(offset + 3)..<(offset + 7)].reduce(0) { $0 << 8 | Int($1) }
            #expect(size + 8 <= 4096)
            kinds.append(bytes[offset])
            if bytes[offset] == 3 { joined += bytes[(offset + 7)..<(offset + 7 + size)] }
            #expect(bytes[offset + 7 + size] == 0xCE)
            offset += size + 8
        }
        #expect(kinds == [1, 2, 3, 3, 3])
        #expect(joined == body)
    }

    @Test func `a larger body than the limit is cut, and the next message is whole`() throws {
        let session = try Self.open(bodyLimit: 100)
        var script = BrokerScript()
        script.deliver([UInt8](repeating: 1, count: 9000), tag: 1)
        script.deliver([2, 3], tag: 2)
        let events = try Self.feed(session, script.bytes)
        guard case .message(let first) = events.first, case .message(let second) = events.last else {
            throw Unexpected()
        }
        #expect(first.isTruncated && first.body.count == 100 && first.bodySize == 9000)
        #expect(!second.isTruncated && second.body == [2, 3])
    }

    @Test func `headers of every kind are read`() throws {
        let session = try Self.open()
        var script = BrokerScript()
        script.method(60, 60, channel: 1, BrokerScript.short("c") + BrokerScript.int64(5) + [1, 0, 0])
        let nested: [UInt8] = BrokerScript.short("n") + [UInt8(ascii: "V")]
        let list: [UInt8] = [UInt8(ascii: "F")] + BrokerScript.long(nested) + [UInt8(ascii: "t"), 1]
        var table: [UInt8] = BrokerScript.short("urgency") + [UInt8(ascii: "S")]
        table += BrokerScript.long(Array("urgent".utf8))
        table += BrokerScript.short("count") + [UInt8(ascii: "l")] + BrokerScript.int64(3)
        table += BrokerScript.short("x-death") + [UInt8(ascii: "A")] + BrokerScript.long(list)
        script.header(bodySize: 0, [0x20, 0x00] + BrokerScript.long(table))
        guard case .message(let message) = try Self.feed(session, script.bytes).first else { throw Unexpected() }
        #expect(message.redelivered)
        #expect(message.properties.header("urgency") == .string("urgent"))
        #expect(message.properties.header("count") == .integer(3))
        let death = HeaderValue.array([.table([MessageHeader("n", .null)]), .bool(true)])
        #expect(message.properties.header("x-death") == death)
    }

    @Test func `field tables nested without end are refused before they are decoded`() throws {
        let session = try Self.open()
        var table: [UInt8] = []
        for _ in 0..<2000 { table = BrokerScript.short("") + [UInt8(ascii: "F")] + BrokerScript.long(table) }
        var script = BrokerScript()
        script.method(60, 60, channel: 1, BrokerScript.short("c") + BrokerScript.int64(5) + [1, 0, 0])
        script.header(bodySize: 0, [0x20, 0x00] + BrokerScript.long(table))
        #expect(throws: AMQPError.self) { try Self.feed(session, script.bytes) }
    }

    @Test func `a return, a confirm and a refusal are told apart`() throws {
        let session = try Self.open(confirms: true)
        for _ in 0..<3 { try session.publish(OutboundMessage(exchange: "x", routingKey: "k", body: [1])) }
        var script = BrokerScript()
        let fields = BrokerScript.int16(312) + BrokerScript.short("NO_ROUTE") + BrokerScript.short("x")
        script.method(60, 50, channel: 1, fields + BrokerScript.short("k"))
        script.header(bodySize: 1, [0x00, 0x80] + BrokerScript.short("id-1"))
        script.frame(3, channel: 1, [1])
        script.method(60, 80, channel: 1, BrokerScript.int64(2) + [1])
        script.method(60, 120, channel: 1, BrokerScript.int64(3) + [0])
        let returned = ReturnedMessage(
            code: 312,
            text: "NO_ROUTE",
            exchange: "x",
            routingKey: "k",
            properties: MessageProperties(messageID: "id-1")
        )
        let expected: [AMQPEvent] = [
            .returned(returned), .confirmed(tag: 2, multiple: true), .refused(tag: 3, multiple: false),
        ]
        #expect(try Self.feed(session, script.bytes) == expected)
    }

    @Test func `a confirm of more than was published ends the session`() throws {
        let session = try Self.open(confirms: true)
        var script = BrokerScript()
        script.method(60, 80, channel: 1, BrokerScript.int64(1) + [0])
        #expect(throws: AMQPError.self) { try Self.feed(session, script.bytes) }
    }

    @Test func `a closed channel is answered and can be opened anew`() throws {
        let session = try Self.open()
        try session.call(.checkQueue(name: "none"))
        _ = Self.output(session)
        var script = BrokerScript()
        let text = "NOT_FOUND - no queue"
        script.method(
            20,
            40,
            channel: 1,
            BrokerScript.int16(404) + BrokerScript.short(text) + BrokerScript.int32(0)
        )
        #expect(try Self.feed(session, script.bytes) == [.channelClosed(code: 404, text: text)])
        #expect(Self.output(session) == [1, 0, 1, 0, 0, 0, 4, 0, 20, 0, 41, 0xCE])
        let closed = #expect(throws: AMQPError.self) { try session.acknowledge(1) }
        #expect(closed?.code == .notOpen)
        try session.reopenChannel()
        var second = BrokerScript()
        second.method(20, 11, channel: 1, BrokerScript.long([]))
        #expect(try Self.feed(session, second.bytes) == [.opened])
    }

    @Test func `names that AMQP cannot carry are refused and leave nothing behind`() throws {
        let session = try Self.open(confirms: true, frameMax: 4096)
        let long = String(repeating: "k", count: 256)
        let unnamed = #expect(throws: AMQPError.self) {
            try session.publish(OutboundMessage(exchange: "x", routingKey: long, body: []))
        }
        #expect(unnamed?.code == .nameTooLong)
        #expect(unnamed?.message == "a routing key has more than 255 bytes, the limit of AMQP")
        let headers = [MessageHeader("h", .string(String(repeating: "v", count: 5000)))]
        let large = OutboundMessage(
            exchange: "x",
            routingKey: "k",
            properties: MessageProperties(headers: headers),
            body: []
        )
        let tooLarge = #expect(throws: AMQPError.self) { try session.publish(large) }
        #expect(tooLarge?.code == .propertiesTooLarge)
        #expect(session.pendingBytes == 0)
        #expect(session.publishCount == 0)
    }

    @Test func `a peer of another protocol is named as such`() {
        let session = Self.session()
        let error = #expect(throws: AMQPError.self) { try Self.feed(session, Array("AMQP".utf8) + [0, 1, 0, 0]) }
        #expect(error?.code == .wrongProtocol)
        #expect(error?.message.hasSuffix("it answered with the protocol header AMQP 0.1.0.0") == true)
        let other = Self.session()
        #expect(throws: AMQPError.self) { try Self.feed(other, Array("HTTP/1.1 400 Bad Request".utf8)) }
    }

    struct Unexpected: Error {}
}
