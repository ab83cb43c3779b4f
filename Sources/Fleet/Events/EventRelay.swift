import AMQP
import Campaigns
import Delivery
import Logging
import NIOCore
import Operations
import Store
import Transport

/// Publishes the events of the outbox at least once, in their order unless a queue refuses one for a while.
///
/// Runs as one task and never delays an ack. An event for which no queue is bound counts as published.
struct EventRelay: Sendable {
    let ledger: Ledger
    let publisher: NIOLoopBound<ShardPublisher>
    let loop: any EventLoop
    let signal: WakeSignal
    let logger: Logger

    /// The most events in one read of the outbox.
    static let pageSize = 100

    /// Publishes until the task is cancelled.
    func run() async {
        var round = EventRound()
        while !Task.isCancelled {
            do {
                while try await pass(&round), !Task.isCancelled {}
            } catch {
                logger.error("events wait for the ledger", metadata: ["error": "\(error)"])
            }
            await signal.wait(upTo: .milliseconds(500))
            round.waited(now: ContinuousClock.now)
        }
    }

    /// Publishes one page; returns true if there may be more to publish now.
    private func pass(_ round: inout EventRound) async throws -> Bool {
        let after = round.after
        let events = try await ledger.read { try $0.events(after: after, limit: Self.pageSize) }
        var done: [Int64] = []
        var isInterrupted = false
        publishing: for event in events {
            switch await publish(event) {
            case .confirmed, .returned: done.append(event.sequence)
            case .invalid(let error):
                // The event can never be sent, and all later ones would wait for it.
                logger.error("an event is dropped", metadata: ["event": "\(event.sequence)", "error": "\(error)"])
                done.append(event.sequence)
            // One queue is full; events for others need not wait for it.
            case .nacked: round.refused(now: ContinuousClock.now)
            case .timedOut, .connectionLost, .queueFull:
                isInterrupted = true
                break publishing
            }
            round.passed(event.sequence)
        }
        if !done.isEmpty {
            let published = done
            // An event whose removal is lost is published again, with the same id.
            try await ledger.write(.normal, scope: .shards) { try $0.eventsPublished(published) }
        }
        return !isInterrupted && events.count == Self.pageSize
    }

    private func publish(_ event: LedgerEvent) async -> PublishResult {
        let message = Self.message(event)
        return await withCheckedContinuation { waiter in
            let publisher = publisher
            loop.execute { publisher.value.publish(event: message) { waiter.resume(returning: $0) } }
        }
    }

    private static func message(_ event: LedgerEvent) -> OutboundMessage {
        OutboundMessage(
            exchange: BrokerNames.events,
            routingKey: event.routingKey,
            mandatory: false,
            properties: MessageProperties(
                contentType: CampaignEvent.contentType,
                messageID: "event-\(event.sequence)",
                correlationID: event.correlationID.isEmpty ? nil : event.correlationID,
                timestamp: UInt64(max(0, event.at.seconds))
            ),
            body: event.body
        )
    }
}
