import CRabbitMQ

/// The client's side of one AMQP 0-9-1 connection with one channel: bytes in, events out; commands in, bytes out.
///
/// It owns no socket and reads no clock. The driver sends what `drain` hands it, passes received bytes to
/// `receive`, sends heartbeats in time and drops the connection when the peer is silent for too long. Not thread-safe:
/// confined to its driver's event loop. An `AMQPError` thrown by `receive` is final, and the socket must be
/// closed. A command that throws leaves the session as if it had not been given.
public final class AMQPSession {
    /// The states of a session's life.
    public enum State: Sendable {
        /// Logging in and opening the channel.
        case handshake
        /// The channel is open.
        case open
        /// The connection is open, but the broker closed its channel.
        case channelClosed
        /// We asked to close the connection.
        case closing
        /// The connection has ended.
        case closed
    }

    private enum Step {
        case start, tune, openOk, channelOpenOk, confirmSelectOk, done
    }

    private enum Content {
        case deliver(IncomingMethod.DeliverFields)
        case returned(ReturnedMessage)
    }

    private struct Assembly {
        var content: Content
        var properties: MessageProperties?
        var bodySize: UInt64 = 0
        var received: UInt64 = 0
        var body: [UInt8] = []

        mutating func append(_ payload: UnsafeRawBufferPointer, limit: Int) {
            guard case .deliver = content else { return }
            body.append(contentsOf: payload.prefix(max(limit - body.count, 0)))
        }
    }

    private static let channel: UInt16 = 1

    private let configuration: AMQPSessionConfiguration
    private let pool: CodecPool
    private let reader: FrameReader
    private var writer: FrameWriter
    private var step = Step.start
    private var assembly: Assembly?
    private var expectedReplies: [Int] = []
    private var queuesByTag: [String: String] = [:]

    /// The session's current state.
    public private(set) var state = State.handshake
    /// The agreed heartbeat interval in seconds, never 0; the configured value until the login.
    public private(set) var heartbeat: UInt16
    /// The largest frame that both sides agreed on, in bytes.
    public private(set) var frameMax: UInt32
    /// The number of publishes written since the channel was opened, which is the sequence number of the latest.
    public private(set) var publishCount: UInt64 = 0

    /// Creates a session with the protocol header in its output.
    public init(_ configuration: AMQPSessionConfiguration) {
        self.configuration = configuration
        heartbeat = configuration.heartbeat
        frameMax = configuration.frameMax
        pool = CodecPool(frameMax: Int(configuration.frameMax))
        reader = FrameReader(frameMax: Int(configuration.frameMax))
        writer = FrameWriter(pool: pool)
        writer.protocolHeader()
    }

    /// The number of bytes that wait to be sent.
    public var pendingBytes: Int { writer.output.count }

    /// Hands all waiting bytes to the driver and discards them.
    public func drain(_ body: (UnsafeRawBufferPointer) -> Void) {
        guard !writer.output.isEmpty else { return }
        writer.output.withUnsafeBytes(body)
        writer.clear()
    }

    // MARK: - Bytes in

    /// Takes bytes from the peer and hands each of their events to `take`, in order; `take` may give commands.
    public func receive(
        _ bytes: UnsafeRawBufferPointer,
        take: (AMQPEvent) -> Void
    ) throws(AMQPError) {
        guard state != .closed else { return }
        reader.append(bytes)
        while state != .closed, let frame = try reader.next() {
            if let event = try handle(frame) { take(event) }
        }
    }

    private func handle(_ frame: Frame) throws(AMQPError) -> AMQPEvent? {
        let result = reader.buffer.withUnsafeBytes { all -> Result<AMQPEvent?, AMQPError> in
            let payload = UnsafeRawBufferPointer(rebasing: all[frame.payload])
            do throws(AMQPError) {
                switch frame.kind {
                case .heartbeat: return .success(nil)
                case .method: return .success(try method(payload, channel: frame.channel))
                case .header: return .success(try header(payload))
                case .body: return .success(try body(payload))
                }
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func method(_ payload: UnsafeRawBufferPointer, channel: UInt16) throws(AMQPError) -> AMQPEvent? {
        let (id, method) = try IncomingMethod.decode(payload, pool: pool)
        let ofConnection = id >> 16 == 10
        guard ofConnection == (channel == 0) else {
            throw .unexpected("method \(id >> 16).\(id & 0xFFFF) on channel \(channel)")
        }
        if !ofConnection, assembly != nil { throw .unexpected("a method in the middle of a message") }
        switch method {
        case .start, .tune, .openOk, .channelOpenOk, .confirmSelectOk:
            return try handshake(method)
        case .connectionClose(let code, let text):
            try writer.method(Int(AMQP_CONNECTION_CLOSE_OK_METHOD), channel: 0, amqp_connection_close_ok_t())
            state = .closed
            return .connectionClosed(code: code, text: text)
        case .connectionCloseOk:
            guard state == .closing else { throw .unexpected("connection.close-ok") }
            state = .closed
            return .closed
        case .blocked(let reason): return .blocked(reason: reason)
        case .unblocked: return .unblocked
        default:
            return try channelMethod(method, id: id)
        }
    }

    private func channelMethod(_ method: IncomingMethod, id: Int) throws(AMQPError) -> AMQPEvent? {
        guard state == .open || state == .closing else {
            throw .unexpected("method \(id >> 16).\(id & 0xFFFF) without an open channel")
        }
        switch method {
        case .channelClose(let code, let text):
            try writer.method(Int(AMQP_CHANNEL_CLOSE_OK_METHOD), channel: Self.channel, amqp_channel_close_ok_t())
            if state == .open { state = .channelClosed }
            forgetChannel()
            return .channelClosed(code: code, text: text)
        case .channelFlow(let active):
            let fields = amqp_channel_flow_ok_t(active: active ? 1 : 0)
            try writer.method(Int(AMQP_CHANNEL_FLOW_OK_METHOD), channel: Self.channel, fields)
            return nil
        case .reply(let reply):
            guard expectedReplies.first == id else {
                throw .unexpected("an answer \(id >> 16).\(id & 0xFFFF) to a call that was not made")
            }
            expectedReplies.removeFirst()
            return .reply(reply)
        case .deliver(let fields):
            assembly = Assembly(content: .deliver(fields))
            return nil
        case .returned(let message):
            assembly = Assembly(content: .returned(message))
            return nil
        case .ack(let tag, let multiple):
            try checkConfirm(tag)
            return .confirmed(tag: tag, multiple: multiple)
        case .nack(let tag, let multiple):
            try checkConfirm(tag)
            return .refused(tag: tag, multiple: multiple)
        case .consumerCancel(let tag):
            return .consumerCancelled(consumerTag: tag)
        default:
            throw .unexpected("method \(id >> 16).\(id & 0xFFFF)")
        }
    }

    private func checkConfirm(_ tag: UInt64) throws(AMQPError) {
        guard configuration.confirms, tag <= publishCount else {
            throw .unexpected("a confirm of publish \(tag), \(publishCount) were written")
        }
    }

    private func forgetChannel() {
        assembly = nil
        expectedReplies.removeAll()
        queuesByTag.removeAll()
        publishCount = 0
    }

    // MARK: - Handshake

    private func handshake(_ method: IncomingMethod) throws(AMQPError) -> AMQPEvent? {
        switch (step, method) {
        case (.start, .start(let mechanisms)):
            guard mechanisms.split(separator: " ").contains("PLAIN") else { throw .noCommonMechanism(mechanisms) }
            try writer.startOk(configuration)
            step = .tune
        case (.tune, .tune(_, let theirFrameMax, let theirHeartbeat)):
            if theirFrameMax != 0 { frameMax = min(frameMax, theirFrameMax) }
            guard frameMax >= 4096 else { throw .malformed("a frame limit of \(theirFrameMax) bytes, below 4,096") }
            if theirHeartbeat != 0 { heartbeat = heartbeat == 0 ? theirHeartbeat : min(heartbeat, theirHeartbeat) }
            reader.frameMax = Int(frameMax)
            writer.frameMax = Int(frameMax)
            try writer.tuneOkAndOpen(frameMax: frameMax, heartbeat: heartbeat, virtualHost: configuration.virtualHost)
            step = .openOk
        case (.openOk, .openOk):
            try writer.openChannel(Self.channel)
            step = .channelOpenOk
        case (.channelOpenOk, .channelOpenOk):
            guard configuration.confirms else { return opened() }
            let fields = amqp_confirm_select_t(nowait: 0)
            try writer.method(Int(AMQP_CONFIRM_SELECT_METHOD), channel: Self.channel, fields)
            step = .confirmSelectOk
        case (.confirmSelectOk, .confirmSelectOk):
            return opened()
        default:
            throw .unexpected("a step of the handshake out of order")
        }
        return nil
    }

    private func opened() -> AMQPEvent? {
        step = .done
        guard state != .closing else { return nil }
        state = .open
        return .opened
    }

    // MARK: - Content

    private func header(_ payload: UnsafeRawBufferPointer) throws(AMQPError) -> AMQPEvent? {
        guard var current = assembly, current.properties == nil else { throw .unexpected("a header frame") }
        let (bodySize, properties) = try PropertiesCodec.decode(payload, pool: pool)
        current.bodySize = bodySize
        current.properties = properties
        if case .deliver = current.content { current.body.reserveCapacity(Int(min(bodySize, 65_536))) }
        assembly = current
        return bodySize == 0 ? finishContent() : nil
    }

    private func body(_ payload: UnsafeRawBufferPointer) throws(AMQPError) -> AMQPEvent? {
        guard assembly?.properties != nil, let bodySize = assembly?.bodySize, let before = assembly?.received else {
            throw .unexpected("a body frame")
        }
        guard UInt64(payload.count) <= bodySize - before else {
            throw .malformed("more body than its header announced")
        }
        let received = before + UInt64(payload.count)
        // In place: a second reference to the assembly would copy the body for each frame.
        assembly?.append(payload, limit: configuration.bodyLimit)
        assembly?.received = received
        return received == bodySize ? finishContent() : nil
    }

    private func finishContent() -> AMQPEvent? {
        guard let finished = assembly else { return nil }
        assembly = nil
        let properties = finished.properties ?? MessageProperties()
        switch finished.content {
        case .deliver(let fields):
            return .message(
                InboundMessage(
                    queue: queuesByTag[fields.consumerTag] ?? "",
                    deliveryTag: fields.deliveryTag,
                    redelivered: fields.redelivered,
                    exchange: fields.exchange,
                    routingKey: fields.routingKey,
                    properties: properties,
                    body: finished.body,
                    bodySize: finished.bodySize
                )
            )
        case .returned(var message):
            message.properties = properties
            return .returned(message)
        }
    }

    // MARK: - Commands

    /// Writes a call; its answer comes as `.reply`, in the order of the calls.
    public func call(_ call: AMQPCall) throws(AMQPError) {
        guard state == .open else { throw .notOpen }
        expectedReplies.append(try writer.call(call, channel: Self.channel))
        if case .consume(let queue, let consumerTag, _) = call { queuesByTag[consumerTag] = queue }
    }

    /// Writes a publish; returns its sequence number, which `.confirmed` and `.refused` name.
    @discardableResult
    public func publish(_ message: OutboundMessage) throws(AMQPError) -> UInt64 {
        guard state == .open else { throw .notOpen }
        let before = writer.output.count
        var fields = amqp_basic_publish_t()
        fields.exchange = try pool.shortString(message.exchange, "an exchange's name")
        fields.routing_key = try pool.shortString(message.routingKey, "a routing key")
        fields.mandatory = message.mandatory ? 1 : 0
        try writer.method(Int(AMQP_BASIC_PUBLISH_METHOD), channel: Self.channel, fields)
        do throws(AMQPError) {
            try writer.content(channel: Self.channel, properties: message.properties, body: message.body)
        } catch {
            writer.truncate(to: before)
            throw error
        }
        publishCount += 1
        return publishCount
    }

    /// Acknowledges one delivery; never one that was acknowledged before (the broker closes the channel with 406).
    public func acknowledge(_ deliveryTag: UInt64) throws(AMQPError) {
        guard state == .open else { throw .notOpen }
        let fields = amqp_basic_ack_t(delivery_tag: deliveryTag, multiple: 0)
        try writer.method(Int(AMQP_BASIC_ACK_METHOD), channel: Self.channel, fields)
    }

    /// Reopens the channel after the broker closed it; `.opened` follows.
    public func reopenChannel() throws(AMQPError) {
        guard state == .channelClosed else { throw .notOpen }
        state = .handshake
        step = .channelOpenOk
        try writer.openChannel(Self.channel)
    }

    /// Writes a heartbeat frame.
    public func sendHeartbeat() {
        guard state != .closed else { return }
        writer.heartbeat()
    }

    /// Asks the broker to close the connection; `.closed` follows.
    ///
    /// Before the login is complete the session ends at once.
    public func close() {
        guard state != .closed, state != .closing else { return }
        let text = pool.bytes("bye")
        let fields = amqp_connection_close_t(reply_code: 200, reply_text: text, class_id: 0, method_id: 0)
        guard step != .start, (try? writer.method(Int(AMQP_CONNECTION_CLOSE_METHOD), channel: 0, fields)) != nil else {
            state = .closed
            return
        }
        state = .closing
    }
}
