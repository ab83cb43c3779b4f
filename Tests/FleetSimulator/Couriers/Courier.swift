import AMQP
import Delivery
import HTTP2
import Logging
import NIOCore
import TLS
import Transport

/// A small worker on the drivers that ship: takes shards, sends their devices, publishes the results, then acks.
///
/// It is a worker without a ledger: a consumer, a publisher and a pool on one loop, and the order of the design's
/// section 7. A shard whose connection is gone runs on, and its ack has no effect: the broker gives it out again, and
/// that delivery is another run.
final class Courier {
    /// The names of the simulated topology.
    enum Names {
        static let work = "work"
        static let results = "results"
        static let retry = "retry"
    }

    let loop: SimulatedLoop
    let observer: Observer
    private let name: String
    private var consumer: AMQPConsumer?
    private let publisher: AMQPPublisher
    private var pool: ProviderPool?
    private let headers: PreparedHeaders
    /// The shards that run, by their delivery.
    private var runs: [RunKey: Run] = [:]
    private var unsent: [(key: RunKey, device: Int)] = []
    /// The requests that are open, by the pool's tag.
    private var open: [UInt64: (key: RunKey, device: Int, id: String)] = [:]
    private var lastTag: UInt64 = 0

    /// A delivery of a connection.
    struct RunKey: Hashable {
        var generation: UInt64
        var tag: UInt64
    }

    /// A shard that is being sent.
    private struct Run {
        var shard: CourierShard
        var left: Int
        var accepted: [Int] = []
        var again: [Int] = []
        var unconfirmed = 0
    }

    /// The attempts after which a device that gets no answer ends.
    private static let attemptsMax = 12

    init(
        _ name: String,
        loop: SimulatedLoop,
        endpoint: AMQPEndpoint,
        provider: HTTP2Endpoint,
        tls: TLSClientContext,
        observer: Observer
    ) {
        self.name = name
        self.loop = loop
        self.observer = observer
        publisher = AMQPPublisher(loop: loop, endpoint: endpoint, name: "\(name) publisher")
        headers = PreparedHeaders(
            authority: provider.host,
            fields: [HeaderField("authorization", "bearer token", indexing: .never)],
            perRequestName: "apns-id"
        )
        consumer = AMQPConsumer(
            loop: loop,
            endpoint: endpoint,
            name: "\(name) consumer",
            subscriptions: [.queue(Names.work, prefetch: 4)],
            handlers: .init(
                message: { [weak self] in self?.received($0, $1) },
                disconnected: { [name, observer] in observer.trace.note(name, "consumes no more: \($0)") }
            )
        )
        var configuration = ProviderPoolConfiguration(seed: .random(in: 0 ... .max))
        configuration.connections.connectionsMax = 2
        pool = ProviderPool(
            loop: loop,
            endpoint: provider,
            tls: tls,
            configuration: configuration,
            source: self,
            logger: Logger(label: "courier") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    func start() {
        publisher.start()
        consumer?.start()
    }

    private var awake: Int64 { loop.runQueue.host.awakeTime }

    /// True if nothing runs here.
    var isIdle: Bool { runs.isEmpty && open.isEmpty }

    // MARK: - Shards

    private func received(_ message: InboundMessage, _ generation: UInt64) {
        guard let shard = CourierShard(message.body) else { preconditionFailure("no shard: \(message)") }
        let key = RunKey(generation: generation, tag: message.deliveryTag)
        observer.trace.note(name, "takes \(shard.id)\(message.redelivered ? " again" : "")")
        runs[key] = Run(shard: shard, left: shard.devices.count)
        unsent += shard.devices.map { (key, $0) }
        pool?.demandChanged()
    }

    private func ended(_ key: RunKey, _ device: Int, isOver: Bool) {
        guard var run = runs[key] else { return }
        run.left -= 1
        if isOver || run.shard.attempt >= Self.attemptsMax {
            run.accepted.append(device)
        } else {
            run.again.append(device)
        }
        runs[key] = run
        if run.left == 0 { settle(key) }
    }

    /// Publishes what became of a shard; its message is acked when the broker has that.
    private func settle(_ key: RunKey) {
        guard var run = runs[key] else { return }
        var messages: [OutboundMessage] = []
        var shard = run.shard
        if !run.accepted.isEmpty {
            shard.devices = run.accepted.sorted()
            messages.append(message(shard, to: Names.results, id: "result-\(shard.id)"))
        }
        if !run.again.isEmpty {
            shard.devices = run.again.sorted()
            shard.attempt += 1
            messages.append(message(shard, to: Names.retry, id: shard.id))
        }
        run.unconfirmed = messages.count
        runs[key] = run
        for message in messages { publish(message, key) }
    }

    private func message(_ shard: CourierShard, to exchange: String, id: String) -> OutboundMessage {
        OutboundMessage(
            exchange: exchange,
            routingKey: Names.work,
            properties: MessageProperties(type: "courier.shard", messageID: id),
            body: shard.body
        )
    }

    private func publish(_ message: OutboundMessage, _ key: RunKey) {
        guard runs[key] != nil else { return }
        let published = observer.publishBegan(message.properties.messageID ?? "", by: name, at: awake)
        publisher.publish(message) { [weak self] result in
            guard let self else { return }
            observer.publishEnded(published, result.observed, at: awake)
            if case .confirmed = result { return confirmed(key) }
            loop.assumeIsolated().scheduleTask(in: .seconds(1)) { self.publish(message, key) }
        }
    }

    private func confirmed(_ key: RunKey) {
        guard var run = runs[key] else { return }
        run.unconfirmed -= 1
        runs[key] = run
        guard run.unconfirmed == 0 else { return }
        runs[key] = nil
        consumer?.ack(key.tag, generation: key.generation)
    }
}

extension Courier: RequestSource {
    func openingBegan() {}

    func nextRequest(_ request: inout RequestWriter) -> Bool {
        guard !unsent.isEmpty else { return false }
        let next = unsent.removeFirst()
        lastTag += 1
        let id = "\(name)-\(lastTag)"
        open[lastTag] = (next.key, next.device, id)
        observer.requestBegan(id, at: awake)
        request.tag = lastTag
        request.setHeaders(headers)
        Array("/3/device/\(String(next.device, radix: 16))".utf8).withUnsafeBytes { request.setPath($0) }
        Array(id.utf8).withUnsafeBytes { request.setPerRequestValue($0) }
        Array("{\"aps\":{}}".utf8).withUnsafeBytes { request.setBody($0) }
        return true
    }

    func answered(tag: UInt64, answer: borrowing ProviderAnswer) {
        guard let sent = open.removeValue(forKey: tag) else { return observer.broke("tag \(tag) ended twice") }
        observer.requestAnswered(sent.id, status: Int(answer.status), at: awake)
        ended(sent.key, sent.device, isOver: answer.status == 200 || answer.status == 410)
    }

    func unanswered(tag: UInt64, reason: Unanswered) {
        guard let sent = open.removeValue(forKey: tag) else { return observer.broke("tag \(tag) ended twice") }
        switch reason {
        case .refused:
            observer.requestRefused(sent.id, at: awake)
            guard runs[sent.key] != nil else { return }
            // Known unprocessed: sent again, not charged, but not in this turn, because the service may refuse all.
            loop.assumeIsolated().scheduleTask(in: .milliseconds(100)) { [self] in
                guard runs[sent.key] != nil else { return }
                unsent.append((sent.key, sent.device))
                pool?.demandChanged()
            }
        case .unknown(let why):
            observer.requestUnknown(sent.id, "\(why)", at: awake)
            ended(sent.key, sent.device, isOver: false)
        }
    }

    func tickEnded() {}

    func connectionFailed(_ failure: ConnectionFailure) {
        observer.trace.note(name, "no connection to the provider: \(failure)")
    }
}
