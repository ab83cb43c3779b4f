/// One channel at the broker: consumers, unacknowledged deliveries, publishes and their confirms.
final class BrokerChannel {
    private struct HeldDelivery {
        var entry: QuorumQueue.Entry
        var queue: QuorumQueue
        var consumer: String
    }

    /// A publish whose content is incomplete.
    private struct Publish {
        var exchange: String
        var routingKey: String
        var isMandatory: Bool
        var properties: [UInt8]?
        var bodySize = 0
        var body: [UInt8] = []
    }

    private let number: UInt16
    private unowned let session: BrokerSession
    private var prefetch = 0
    private var consumers: [String: (id: Int, queue: QuorumQueue)] = [:]
    /// The queues that this connection declared for itself.
    private var ownQueues: [String] = []
    private var deliveries: [UInt64: HeldDelivery] = [:]
    private var lastTag: UInt64 = 0
    private var publish: Publish?
    private var confirms = false
    private var published: UInt64 = 0
    /// The publishes without a confirm, oldest first, and the verdicts that are sent with the next flush.
    private var unconfirmed: [UInt64] = []
    private var verdicts: [UInt64: MethodID] = [:]
    /// True after `channel.close` was sent: everything but its answer is ignored.
    private var isClosing = false

    init(_ number: UInt16, of session: BrokerSession) {
        self.number = number
        self.session = session
    }

    private var broker: Broker { session.broker }

    private func answer(_ method: MethodID, _ fill: (inout AMQPWriter) -> Void = { _ in }) {
        session.send(AMQPWriter.method(method, channel: number, fill))
    }

    // MARK: - The end

    /// Gives back what is unacknowledged and ends the consumers.
    func end() {
        for tag in consumers.keys.sorted() { consumers[tag].map { $0.queue.removeConsumer($0.id) } }
        consumers = [:]
        for queue in ownQueues { broker.remove(queue: queue) }
        ownQueues = []
        let returned = deliveries.sorted { $0.key < $1.key }.map(\.value)
        deliveries = [:]
        publish = nil
        // A node that crashed has requeued them itself.
        guard broker.isListening else { return }
        for queue in Set(returned.map(\.queue.name)).sorted() {
            broker.queues[queue]?.requeue(returned.filter { $0.queue.name == queue }.map(\.entry))
        }
    }

    /// Closes the channel with a fault.
    func fail(_ fault: BrokerFault) {
        broker.trace.note("broker", "closes a channel of \(session.name): \(fault.code) \(fault.text)")
        session.noteFault(fault)
        end()
        isClosing = true
        answer(.channelClose) {
            $0.number(fault.code, 2)
            $0.shortString(fault.text)
            $0.number(0, 4)
        }
        broker.wake()
    }

    // MARK: - Methods

    func handle(_ method: MethodID, _ reader: inout AMQPBytes) throws(BrokerFault) {
        if isClosing {
            if method == .channelCloseOk { session.channelEnded(number) }
            return
        }
        guard publish == nil else { throw .connection(505, "UNEXPECTED_FRAME") }
        switch method {
        case .channelClose:
            end()
            answer(.channelCloseOk)
            session.channelEnded(number)
        case .confirmSelect:
            confirms = true
            answer(.confirmSelectOk)
        case .qos: try qos(&reader)
        case .consume: try consume(&reader)
        case .cancel: try cancel(&reader)
        case .queueDeclare: try declareQueue(&reader)
        case .queueBind: try bindQueue(&reader)
        case .exchangeDeclare: try declareExchange(&reader)
        case .publish: try beginPublish(&reader)
        case .ack: try ack(&reader)
        default: throw .connection(540, "NOT_IMPLEMENTED - \(method)")
        }
    }

    private func qos(_ reader: inout AMQPBytes) throws(BrokerFault) {
        _ = try reader.number(4)
        prefetch = Int(try reader.short())
        let isGlobal = try reader.octet() & 1 != 0
        if isGlobal { throw .connection(540, "NOT_IMPLEMENTED - global qos of a quorum queue") }
        answer(.qosOk)
    }

    private func queue(_ name: String) throws(BrokerFault) -> QuorumQueue {
        if let queue = broker.queues[name] { return queue }
        throw .channel(404, "NOT_FOUND - no queue '\(name)' in vhost '/'")
    }

    private func declareQueue(_ reader: inout AMQPBytes) throws(BrokerFault) {
        _ = try reader.short()
        let name = try reader.shortString()
        let flags = try reader.octet()
        let (isPassive, isExclusive) = (flags & 1 != 0, flags & 4 != 0)
        // A worker may configure nothing but queues of its own.
        guard isPassive || isExclusive else { throw .channel(403, "ACCESS_REFUSED") }
        if !isPassive {
            broker.declareExclusive(name)
            ownQueues.append(name)
        }
        let queue = try queue(name)
        answer(.queueDeclareOk) {
            $0.shortString(name)
            $0.number(queue.readyCount, 4)
            $0.number(queue.consumerCount, 4)
        }
    }

    private func bindQueue(_ reader: inout AMQPBytes) throws(BrokerFault) {
        _ = try reader.short()
        let (queue, exchange) = (try reader.shortString(), try reader.shortString())
        let key = try reader.shortString()
        guard ownQueues.contains(queue) else { throw .channel(403, "ACCESS_REFUSED") }
        guard broker.exchanges[exchange] != nil else { throw .channel(404, "NOT_FOUND - no exchange '\(exchange)'") }
        broker.bind(queue: queue, to: exchange, key: key.isEmpty ? "#" : key)
        answer(.queueBindOk)
    }

    private func declareExchange(_ reader: inout AMQPBytes) throws(BrokerFault) {
        _ = try reader.short()
        let name = try reader.shortString()
        guard broker.exchanges[name] != nil else { throw .channel(404, "NOT_FOUND - no exchange '\(name)'") }
        answer(.exchangeDeclareOk)
    }

    // MARK: - Consuming

    private func consume(_ reader: inout AMQPBytes) throws(BrokerFault) {
        _ = try reader.short()
        let queue = try queue(try reader.shortString())
        let tag = try reader.shortString()
        guard consumers[tag] == nil else {
            throw .connection(530, "NOT_ALLOWED - attempt to reuse consumer tag '\(tag)'")
        }
        let needsNoAck = try reader.octet() & 2 != 0
        let (id, most) = (broker.nextConsumer(), prefetch == 0 ? 2000 : prefetch)
        consumers[tag] = (id, queue)
        answer(.consumeOk) { $0.shortString(tag) }
        queue.add(
            QuorumQueue.Consumer(
                id: id,
                room: { [weak self] in self.map { $0.held(by: tag) < most } ?? false },
                deliver: { [weak self] in self?.deliver($0, of: queue, to: tag, needsNoAck: needsNoAck) }
            )
        )
        broker.wake()
    }

    private func held(by consumer: String) -> Int { deliveries.values.count { $0.consumer == consumer } }

    private func cancel(_ reader: inout AMQPBytes) throws(BrokerFault) {
        let tag = try reader.shortString()
        if let consumer = consumers.removeValue(forKey: tag) { consumer.queue.removeConsumer(consumer.id) }
        answer(.cancelOk) { $0.shortString(tag) }
    }

    private func deliver(
        _ entry: QuorumQueue.Entry,
        of queue: QuorumQueue,
        to consumer: String,
        needsNoAck: Bool
    ) {
        lastTag += 1
        let tag = lastTag
        if needsNoAck {
            queue.ack(entry)
        } else {
            deliveries[tag] = HeldDelivery(entry: entry, queue: queue, consumer: consumer)
        }
        broker.trace.note(
            "broker",
            "\(queue.name) gives \(entry.message.id) to \(session.name) as \(tag), delivery \(entry.deliveries + 1)"
        )
        broker.delivered(queue.name, entry.message)
        answer(.deliver) {
            $0.shortString(consumer)
            $0.number(tag, 8)
            $0.number(entry.deliveries > 0 ? 1 : 0, 1)
            $0.shortString(entry.message.exchange)
            $0.shortString(entry.message.routingKey)
        }
        content(of: entry.message, entry.message.properties(deliveryCount: entry.deliveries))
    }

    private func content(of message: BrokerMessage, _ properties: [UInt8]) {
        var header = AMQPWriter()
        header.number(60, 2)
        header.number(0, 2)
        header.number(message.body.count, 8)
        header.append(properties)
        session.send(AMQPWriter.frame(.header, channel: number, header.bytes))
        guard !message.body.isEmpty else { return }
        session.send(AMQPWriter.frame(.body, channel: number, message.body))
    }

    private func ack(_ reader: inout AMQPBytes) throws(BrokerFault) {
        let tag = try reader.number(8)
        let isMultiple = try reader.octet() & 1 != 0
        let tags = isMultiple ? deliveries.keys.filter { $0 <= tag || tag == 0 }.sorted() : [tag]
        for tag in tags {
            guard let delivery = deliveries.removeValue(forKey: tag) else {
                throw .channel(406, "PRECONDITION_FAILED - unknown delivery tag \(tag)")
            }
            broker.trace.note("broker", "\(session.name) acks \(delivery.entry.message.id)")
            broker.ack(delivery.entry, in: delivery.queue)
        }
    }

    // MARK: - Publishing

    private func beginPublish(_ reader: inout AMQPBytes) throws(BrokerFault) {
        _ = try reader.short()
        let (exchange, key) = (try reader.shortString(), try reader.shortString())
        let flags = try reader.octet()
        guard broker.exchanges[exchange] != nil else {
            throw .channel(404, "NOT_FOUND - no exchange '\(exchange)' in vhost '/'")
        }
        publish = Publish(exchange: exchange, routingKey: key, isMandatory: flags & 1 != 0)
    }

    func content(_ payload: ArraySlice<UInt8>, isHeader: Bool) throws(BrokerFault) {
        guard !isClosing else { return }
        guard var publish, isHeader == (publish.properties == nil) else { throw .connection(505, "UNEXPECTED_FRAME") }
        if isHeader {
            var reader = AMQPBytes(payload)
            guard try reader.short() == 60, try reader.short() == 0 else { throw .connection(501, "FRAME_ERROR") }
            publish.bodySize = Int(try reader.number(8))
            publish.properties = Array(reader.rest)
        } else {
            publish.body += payload
        }
        guard publish.body.count <= publish.bodySize else { throw .connection(501, "FRAME_ERROR") }
        guard publish.body.count == publish.bodySize, let properties = publish.properties else {
            self.publish = publish
            return
        }
        self.publish = nil
        try take(publish, properties)
    }

    private func take(_ publish: Publish, _ properties: [UInt8]) throws(BrokerFault) {
        published += 1
        let (tag, confirms) = (published, confirms)
        if confirms { unconfirmed.append(tag) }
        let message = try BrokerMessage(
            exchange: publish.exchange,
            routingKey: publish.routingKey,
            properties: properties,
            body: publish.body
        )
        let targets = broker.route(publish.exchange, publish.routingKey)
        session.noticePublish()
        if targets.isEmpty {
            broker.trace.note("broker", "\(message.id) has no route")
            broker.returned(message.id)
            if publish.isMandatory { giveBack(message) }
            if confirms { confirm(.ack, tag) }
        } else if broker.refusals > 0 || targets.contains(where: \.isFull) {
            broker.refusals = max(0, broker.refusals - 1)
            broker.trace.note("broker", "refuses \(message.id)")
            broker.refused(message.id)
            if confirms { confirm(.nack, tag) }
        } else {
            broker.enqueue(message, in: targets) { [weak self] in
                guard let self, confirms, !isClosing else { return }
                confirm(.ack, tag)
            }
        }
    }

    private func giveBack(_ message: BrokerMessage) {
        answer(.returned) {
            $0.number(312, 2)
            $0.shortString("NO_ROUTE")
            $0.shortString(message.exchange)
            $0.shortString(message.routingKey)
        }
        content(of: message, message.properties)
    }

    private func confirm(_ method: MethodID, _ tag: UInt64) { verdicts[tag] = method }

    /// Sends the confirms that have arisen: alike ones of the oldest publishes as one, the others each, as RabbitMQ
    /// does.
    func sendConfirms() {
        guard !isClosing else { return }
        while let first = unconfirmed.first, let method = verdicts[first] {
            let count = unconfirmed.prefix { verdicts[$0] == method }.count
            for tag in unconfirmed.prefix(count) { verdicts[tag] = nil }
            send(method, unconfirmed[count - 1], isMultiple: count > 1)
            unconfirmed.removeFirst(count)
        }
        for (tag, method) in verdicts.sorted(by: { $0.key < $1.key }) { send(method, tag, isMultiple: false) }
        unconfirmed.removeAll { verdicts[$0] != nil }
        verdicts = [:]
    }

    private func send(_ method: MethodID, _ tag: UInt64, isMultiple: Bool) {
        answer(method) {
            $0.number(tag, 8)
            $0.number(isMultiple ? 1 : 0, 1)
        }
    }
}
