import AMQP
import Foundation
import NIOCore
import Servers
import Testing
import Transport

extension RealBroker {
    @Suite("A broker in trouble")
    struct Trouble {
        @Test func `B4: in an alarm publishes wait and consuming goes on`() async throws {
            let node = try await RealBroker.shared.node()
            let client = try await Broker.freshQueue("test.alarm")
            for id in 0..<50 { #expect(await client.publish(Broker.message("test.alarm", id: "\(id)")) == .confirmed) }
            let endpoint = try await Broker.endpoint()
            let publisher = try await TestPublisher(endpoint, limits: .init(timeout: .seconds(120)))
            let consumer = try await TestConsumer(endpoint, .queue("test.alarm", prefetch: 4))
            for await case .connected in consumer.seen { break }

            try await node.rabbitmqctl("set_vm_memory_high_watermark", "0.00001")
            // The broker blocks a connection at its first publish during an alarm.
            async let first = publisher.publish(Broker.message("test.alarm", id: "first"))
            for await blocked in publisher.blocked where blocked { break }
            async let second = publisher.publish(Broker.message("test.alarm", id: "second"))
            let early = await consumer.messages(50)
            #expect(early.map(\.properties.messageID) == (0..<50).map { "\($0)" })

            try await node.rabbitmqctl("set_vm_memory_high_watermark", "0.8")
            for await blocked in publisher.blocked where !blocked { break }
            #expect(await [first, second] == [.confirmed, .confirmed])
            let late = await consumer.messages(2)
            #expect(Set(late.map(\.properties.messageID)) == ["first", "second"])
            await consumer.close()
            await publisher.close()
            await client.close()
        }

        @Test func `a call that the broker does not answer is an error of that connection`() async throws {
            let node = try await RealBroker.shared.node()
            await (try await Broker.freshQueue("test.unanswered")).close()
            let client = try await AMQPClient.connect(
                try await Broker.endpoint(),
                name: "test",
                on: Broker.loop,
                confirmTimeout: .milliseconds(200),
                callTimeout: .milliseconds(200)
            )
            try await node.rabbitmqctl("set_vm_memory_high_watermark", "0.00001")
            // The broker reads nothing more from a connection that published during an alarm.
            #expect(await client.publish(Broker.message("test.unanswered", id: "1")) == .timedOut)
            let error = await #expect(throws: AMQPConnectError.self) {
                try await client.counts(of: "test.unanswered")
            }
            #expect(error?.kind == .lost)
            #expect(error?.description.contains("does not answer") == true)
            #expect(await client.publish(Broker.message("test.unanswered", id: "2")) == .connectionLost)
            await client.close()
            try await node.rabbitmqctl("set_vm_memory_high_watermark", "0.8")
        }

        /// Runs a body while a queue's leader lives and does nothing, as at a node without a majority.
        private static func withSilentLeader(of queue: String, _ body: () async throws -> Void) async throws {
            let node = try await RealBroker.shared.node()
            let leader = "whereis('%2F_\(queue)')"
            try await node.rabbitmqctl("eval", "sys:suspend(\(leader)).")
            do {
                try await body()
            } catch {
                try await node.rabbitmqctl("eval", "sys:resume(\(leader)).")
                throw error
            }
            try await node.rabbitmqctl("eval", "sys:resume(\(leader)).")
        }

        /// The node by two names, as if it were two nodes of a cluster.
        private static func twoHosts() async throws -> AMQPEndpoint {
            var endpoint = try await Broker.endpoint()
            endpoint.hosts.append(.init(name: "localhost", port: endpoint.hosts[0].port))
            return endpoint
        }

        @Test func `a node that confirms no consumer is left, and all queues are consumed once it does`() async throws {
            let client = try await Broker.freshQueue("test.leaderless")
            await (try await Broker.freshQueue("test.led")).close()
            let endpoint = try await Self.twoHosts()
            var consumer: TestConsumer?
            var left: [String] = []
            try await Self.withSilentLeader(of: "test.leaderless") {
                let made = try await TestConsumer(
                    endpoint,
                    .queue("test.led", prefetch: 4),
                    .queue("test.leaderless", prefetch: 4)
                )
                consumer = made
                for await case .disconnected(let error) in made.seen {
                    left.append(error.description)
                    if left.count == 2 { break }
                }
            }
            #expect(left.allSatisfy { $0.contains("confirms no consumer") }, "\(left)")
            #expect(Set(left).count == 2, "\(left)")
            let made = try #require(consumer)
            for await case .connected in made.seen { break }
            for queue in ["test.leaderless", "test.led"] {
                #expect(await client.publish(Broker.message(queue, id: queue)) == .confirmed)
                #expect(await made.messages(1).map(\.properties.messageID) == [queue])
            }
            await made.close()
            await client.close()
        }

        @Test func `a node of several that confirms no publish is left, and the next publish is confirmed`()
            async throws
        {
            await (try await Broker.freshQueue("test.unconfirmed")).close()
            let publisher = try await TestPublisher(try await Self.twoHosts())
            #expect(await publisher.publish(Broker.message("test.unconfirmed", id: "1")) == .confirmed)
            try await Self.withSilentLeader(of: "test.unconfirmed") {
                #expect(await publisher.publish(Broker.message("test.unconfirmed", id: "2")) == .timedOut)
            }
            #expect(await publisher.publish(Broker.message("test.unconfirmed", id: "3")) == .confirmed)
            #expect(await publisher.generation == 2)
            await publisher.close()
        }

        @Test func `B2: no confirmed publish is lost when the broker is killed among 100,000`() async throws {
            let node = try await RealBroker.shared.node()
            await (try await Broker.freshQueue("test.flood")).close()
            let endpoint = try await Broker.endpoint()
            let flood = try await Broker.loop.submit {
                let flood = Flood(endpoint, total: 100_000)
                flood.start()
                return NIOLoopBound(flood, eventLoop: Broker.loop)
            }.get()
            func report() async throws -> Flood.Report {
                try await Broker.loop.submit { flood.value.report }.get()
            }

            try await eventually("40,000 are confirmed") { try await report().confirmed >= 40_000 }
            node.kill()
            try await node.restart()
            var last: Flood.Report?
            do {
                try await eventually("all are confirmed and received", within: .seconds(180)) {
                    last = try await report()
                    return last?.isComplete == true
                }
            } catch {
                let queues = try await node.rabbitmqctl(
                    "list_queues",
                    "name",
                    "state",
                    "messages_ready",
                    "messages_unacknowledged",
                    "consumers"
                )
                Issue.record("it stands at \(last as Any); the broker has\n\(queues)")
            }
            #expect(last?.lostConnections ?? 0 > 0)
            #expect(last?.confirmed == 100_000)
            #expect(last?.confirmedButNotReceived == 0)
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                Broker.loop.execute { flood.value.close { continuation.resume() } }
            }
        }
    }
}

/// Publishes numbers until each is confirmed, and consumes them meanwhile.
///
/// Confined to the loop.
///
/// Each try has its own id, so that a repeated message does not hide a lost confirmed one.
private final class Flood {
    struct Report: Sendable {
        var total: Int
        var confirmed: Int
        var confirmedButNotReceived: Int
        var lostConnections: Int
        var publisher: AMQPRoleState
        var unconfirmed: Int
        var isBlocked: Bool
        var consumer: AMQPRoleState?

        var isComplete: Bool { confirmed == total && confirmedButNotReceived == 0 }
    }

    private let total: Int
    private let publisher: AMQPPublisher
    private var consumer: AMQPConsumer?
    private var next = 0
    private var unconfirmed: [(number: Int, attempt: Int)] = []
    private var inFlight = 0
    private var confirmed = 0
    private var received: Set<String> = []
    private var awaited: Set<String> = []
    private var lostConnections = 0

    init(_ endpoint: AMQPEndpoint, total: Int) {
        self.total = total
        publisher = AMQPPublisher(
            loop: Broker.loop,
            endpoint: endpoint,
            name: "flood",
            limits: .init(timeout: .seconds(60))
        )
        consumer = AMQPConsumer(
            loop: Broker.loop,
            endpoint: endpoint,
            name: "flood",
            subscriptions: [.queue("test.flood", prefetch: 200)],
            handlers: AMQPConsumer.Handlers(
                message: { [unowned self] message, generation in receive(message, generation) },
                disconnected: { [unowned self] _ in lostConnections += 1 }
            )
        )
    }

    var report: Report {
        Report(
            total: total,
            confirmed: confirmed,
            confirmedButNotReceived: awaited.count,
            lostConnections: lostConnections,
            publisher: publisher.state,
            unconfirmed: publisher.unconfirmedCount,
            isBlocked: publisher.isBlocked,
            consumer: consumer?.state
        )
    }

    func start() {
        publisher.start()
        consumer?.start()
        pump()
    }

    func close(completion: @escaping () -> Void) {
        publisher.close { [self] in consumer?.close(completion: completion) }
    }

    private func pump() {
        while inFlight < 2000 {
            if let again = unconfirmed.popLast() {
                publish(again.number, attempt: again.attempt)
            } else if next < total {
                publish(next, attempt: 0)
                next += 1
            } else {
                return
            }
        }
    }

    private func publish(_ number: Int, attempt: Int) {
        let id = "\(number)-\(attempt)"
        inFlight += 1
        publisher.publish(Broker.message("test.flood", id: id, body: [UInt8](repeating: 7, count: 64))) {
            [self] result in
            inFlight -= 1
            if case .confirmed = result {
                confirmed += 1
                if !received.contains(id) { awaited.insert(id) }
            } else {
                unconfirmed.append((number, attempt + 1))
            }
            pump()
        }
    }

    private func receive(_ message: InboundMessage, _ generation: UInt64) {
        consumer?.ack(message.deliveryTag, generation: generation)
        let id = message.properties.messageID ?? ""
        received.insert(id)
        awaited.remove(id)
    }
}
