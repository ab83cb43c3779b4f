/// One AMQP connection at the broker: frames, login, heartbeats, and what its channel does.
final class BrokerSession: SimulatedSession {
    private enum State {
        case header
        case login
        case tune
        case open
        case running
        /// The broker has sent `connection.close` and awaits its answer.
        case closing
        case over
    }

    unowned let broker: Broker
    private let connection: SimulatedConnection
    private var state = State.header
    private var input: [UInt8] = []
    private var output: [UInt8] = []
    private var lastReceived: Int64
    private var lastSent: Int64
    private var channels: [UInt16: BrokerChannel] = [:]
    /// True if the client understands `connection.blocked`.
    private var knowsBlocked = false
    /// True once the client has published on this connection.
    private var hasPublished = false
    private var isBlocked = false
    private(set) var name = "?"

    /// The broker's proposals.
    private static let frameMax = 131_072
    private static let heartbeat: Int64 = 10_000_000_000

    init(_ connection: SimulatedConnection, broker: Broker) {
        self.connection = connection
        self.broker = broker
        lastReceived = broker.host.monotonic
        lastSent = lastReceived
        beat()
    }

    // MARK: - Bytes

    func received(_ bytes: [UInt8]) {
        guard broker.isListening else { return }
        lastReceived = broker.host.monotonic
        input += bytes
        proceed()
    }

    func ended() {
        guard state != .over else { return }
        lost()
        broker.forget(self)
    }

    /// Gives back what the connection held; it sends nothing any more.
    func lost() {
        state = .over
        for channel in channels.keys.sorted() { channels[channel]?.end() }
        channels = [:]
        broker.wake()
    }

    func send(_ bytes: [UInt8]) {
        guard state != .over else { return }
        output += bytes
    }

    /// Sends what has arisen, in one write.
    func flush() {
        guard state != .over else { return }
        for channel in channels.keys.sorted() { channels[channel]?.sendConfirms() }
        guard !output.isEmpty else { return }
        lastSent = broker.host.monotonic
        connection.send(output, from: .server)
        output = []
    }

    private func proceed() {
        do {
            try readAll()
        } catch let fault as BrokerFault {
            close(fault)
        } catch {
            preconditionFailure("\(error)")
        }
        flush()
    }

    private func readAll() throws {
        if state == .header {
            guard input.count >= 8 else { return }
            guard Array(input[..<8]) == Array("AMQP".utf8) + [0, 0, 9, 1] else { return hangUp() }
            input.removeFirst(8)
            start()
        }
        while !isBlocked, state != .over, let frame = try takeFrame() { try handle(frame) }
    }

    private struct Frame {
        var kind: UInt8
        var channel: UInt16
        var payload: ArraySlice<UInt8>
    }

    private func takeFrame() throws(BrokerFault) -> Frame? {
        guard input.count >= 7 else { return nil }
        var reader = AMQPBytes(input[..<7])
        let (kind, channel, size) = (try reader.octet(), try reader.short(), Int(try reader.number(4)))
        guard size <= Self.frameMax - 8 else { throw .connection(501, "FRAME_ERROR - too large") }
        guard input.count >= size + 8 else { return nil }
        guard input[7 + size] == 0xCE else { throw .connection(501, "FRAME_ERROR - no end") }
        let frame = Frame(kind: kind, channel: channel, payload: ArraySlice(Array(input[7..<7 + size])))
        input.removeFirst(size + 8)
        return frame
    }

    private func handle(_ frame: Frame) throws(BrokerFault) {
        switch frame.kind {
        case AMQPWriter.Kind.heartbeat.rawValue: return
        case AMQPWriter.Kind.method.rawValue where frame.channel == 0: try handleConnection(frame.payload)
        case _ where state == .closing: return
        case AMQPWriter.Kind.method.rawValue: try handleChannel(frame)
        case AMQPWriter.Kind.header.rawValue, AMQPWriter.Kind.body.rawValue:
            guard let channel = channels[frame.channel] else { throw .connection(504, "CHANNEL_ERROR") }
            try channel.content(frame.payload, isHeader: frame.kind == AMQPWriter.Kind.header.rawValue)
        default: throw .connection(501, "FRAME_ERROR - type \(frame.kind)")
        }
    }

    // MARK: - The connection's methods

    private func start() {
        state = .login
        let capabilities = [
            "authentication_failure_close", "basic.nack", "connection.blocked", "consumer_cancel_notify",
            "publisher_confirms",
        ].map { ($0, AMQPField.truth(true)) }
        send(
            AMQPWriter.method(.connectionStart, channel: 0) {
                $0.number(0, 1)
                $0.number(9, 1)
                $0.table([("capabilities", .table(Dictionary(uniqueKeysWithValues: capabilities)))])
                $0.longString(Array("PLAIN AMQPLAIN".utf8))
                $0.longString(Array("en_US".utf8))
            }
        )
    }

    private func handleConnection(_ payload: ArraySlice<UInt8>) throws(BrokerFault) {
        var reader = AMQPBytes(payload)
        let method = MethodID(rawValue: UInt32(try reader.number(4)))
        switch (state, method) {
        case (.closing, .connectionCloseOk): hangUp()
        case (.closing, _): return
        case (_, .connectionClose):
            send(AMQPWriter.method(.connectionCloseOk, channel: 0))
            flush()
            hangUp()
        case (.login, .connectionStartOk): try login(&reader)
        case (.tune, .connectionTuneOk): state = .open
        case (.open, .connectionOpen):
            state = .running
            send(AMQPWriter.method(.connectionOpenOk, channel: 0) { $0.shortString("") })
        default: throw .connection(503, "COMMAND_INVALID")
        }
    }

    private func login(_ reader: inout AMQPBytes) throws(BrokerFault) {
        let properties = try reader.table()
        guard try reader.shortString() == "PLAIN" else { throw .connection(403, "ACCESS_REFUSED") }
        guard Array(try reader.longString()) == [0] + Array("fanfare".utf8) + [0] + Array("secret".utf8) else {
            throw .connection(403, "ACCESS_REFUSED - Login was refused using authentication mechanism PLAIN")
        }
        if case .text(let name) = properties["connection_name"] { self.name = name }
        if case .table(let known) = properties["capabilities"] {
            knowsBlocked = known["connection.blocked"] == .truth(true)
        }
        broker.trace.note("broker", "\(name) logs in on connection \(connection.number)")
        state = .tune
        send(
            AMQPWriter.method(.connectionTune, channel: 0) {
                $0.number(2047, 2)
                $0.number(Self.frameMax, 4)
                $0.number(60, 2)
            }
        )
    }

    private func close(_ fault: BrokerFault) {
        broker.trace.note("broker", "closes connection \(connection.number) of \(name): \(fault.code) \(fault.text)")
        broker.faulted("\(name): \(fault.code) \(fault.text)")
        state = .closing
        for channel in channels.keys.sorted() { channels[channel]?.end() }
        channels = [:]
        send(
            AMQPWriter.method(.connectionClose, channel: 0) {
                $0.number(fault.code, 2)
                $0.shortString(fault.text)
                $0.number(0, 4)
            }
        )
    }

    private func hangUp() {
        guard state != .over else { return }
        lost()
        connection.close(from: .server)
        broker.forget(self)
    }

    // MARK: - Channels

    private func handleChannel(_ frame: Frame) throws(BrokerFault) {
        guard state == .running else { throw .connection(503, "COMMAND_INVALID") }
        var reader = AMQPBytes(frame.payload)
        guard let method = MethodID(rawValue: UInt32(try reader.number(4))) else {
            throw .connection(540, "NOT_IMPLEMENTED")
        }
        if method == .channelOpen {
            guard channels[frame.channel] == nil else {
                throw .connection(504, "CHANNEL_ERROR - second 'channel.open'")
            }
            channels[frame.channel] = BrokerChannel(frame.channel, of: self)
            return send(AMQPWriter.method(.channelOpenOk, channel: frame.channel) { $0.number(0, 4) })
        }
        guard let channel = channels[frame.channel] else {
            throw .connection(504, "CHANNEL_ERROR - expected 'channel.open'")
        }
        do throws(BrokerFault) {
            try channel.handle(method, &reader)
        } catch {
            guard !error.endsConnection else { throw error }
            channel.fail(error)
        }
    }

    func channelEnded(_ number: UInt16) { channels[number] = nil }

    func noteFault(_ fault: BrokerFault) { broker.faulted("\(name): \(fault.code) \(fault.text)") }

    // MARK: - Alarms

    /// Notes a publish; under an alarm the connection is not read from now on.
    func noticePublish() {
        hasPublished = true
        if broker.isAlarmed { block() }
    }

    func alarmChanged() {
        guard state == .running else { return }
        if broker.isAlarmed, hasPublished {
            block()
        } else if !broker.isAlarmed, isBlocked {
            isBlocked = false
            if knowsBlocked { send(AMQPWriter.method(.connectionUnblocked, channel: 0)) }
            proceed()
        }
        flush()
    }

    private func block() {
        guard !isBlocked else { return }
        isBlocked = true
        if knowsBlocked { send(AMQPWriter.method(.connectionBlocked, channel: 0) { $0.shortString("low on memory") }) }
    }

    // MARK: - Heartbeats

    /// Sends a heartbeat after half of one in silence, and ends a connection that was silent for two.
    private func beat() {
        broker.host.schedule(after: Self.heartbeat / 2, on: broker.runQueue) { [weak self] in
            guard let self, state != .over else { return }
            let now = broker.host.monotonic
            if now - lastReceived >= 2 * Self.heartbeat, !isBlocked {
                broker.trace.note("broker", "\(name) was silent for two heartbeats")
                return hangUp()
            }
            if state == .running, now - lastSent >= Self.heartbeat / 2 {
                send(AMQPWriter.frame(.heartbeat, channel: 0, []))
                flush()
            }
            beat()
        }
    }
}
