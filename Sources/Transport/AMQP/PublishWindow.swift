public import AMQP
import Delivery
import NIOCore

/// The result of a publish.
public enum PublishResult: Sendable, Equatable {
    /// The broker has stored the message on a majority of its queues' nodes.
    case confirmed
    /// No queue took the message (mandatory messages only); holds the broker's code and text.
    case returned(code: UInt16, text: String)
    /// The broker refused the message: a full queue with reject-publish.
    case nacked
    /// No answer came in time; a message that was written may still arrive.
    case timedOut
    /// The connection ended before the confirm; the message may have arrived.
    case connectionLost
    /// Not sent: too many publishes wait for a connection or for the end of an alarm.
    case queueFull
    /// Not sent: the message cannot be encoded as AMQP.
    case invalid(AMQPError)
}

/// The key by which a return is matched to its publish.
struct PublishKey: Hashable, Sendable {
    var exchange: String
    var routingKey: String
    var messageID: String?

    init(_ message: OutboundMessage) {
        exchange = message.exchange
        routingKey = message.routingKey
        messageID = message.properties.messageID
    }

    init(_ message: ReturnedMessage) {
        exchange = message.exchange
        routingKey = message.routingKey
        messageID = message.properties.messageID
    }
}

/// The publishes of one channel that wait for their confirm, with their completions.
///
/// Confined to an event loop.
struct PublishWindow {
    typealias Completion = (PublishResult) -> Void

    private var tracker: ConfirmTracker<PublishKey>
    private var completions: [UInt64: Completion] = [:]

    init(timeout: Duration) {
        tracker = ConfirmTracker(timeout: timeout)
    }

    var count: Int { tracker.outstandingCount }
    var nextDeadline: Duration? { tracker.nextDeadline }

    mutating func add(_ message: OutboundMessage, sequence: UInt64, since: Duration, _ completion: @escaping Completion)
    {
        let expected = tracker.published(PublishKey(message), now: since)
        precondition(sequence == expected, "the session and the tracker count publishes alike")
        completions[sequence] = completion
    }

    /// Processes an event of the session; returns the completions and their results, nil when the broker broke the
    /// protocol.
    mutating func handle(_ event: AMQPEvent) -> [(Completion, PublishResult)]? {
        switch event {
        case .returned(let message):
            // A publish that timed out is no longer tracked, and its return is ignored.
            _ = tracker.returned(PublishKey(message), code: message.code, text: message.text)
            return []
        case .confirmed(let tag, let multiple):
            return tracker.confirmed(tag: tag, multiple: multiple).map { resolve($0) }
        case .refused(let tag, let multiple):
            return tracker.refused(tag: tag, multiple: multiple).map { resolve($0) }
        default: return []
        }
    }

    mutating func timeOut(now: Duration) -> [(Completion, PublishResult)] {
        resolve(tracker.timeOut(now: now))
    }

    mutating func connectionLost() -> [(Completion, PublishResult)] {
        resolve(tracker.connectionLost())
    }

    private mutating func resolve(
        _ settlements: [ConfirmTracker<PublishKey>.Settlement]
    ) -> [(Completion, PublishResult)] {
        settlements.compactMap { settlement in
            guard let completion = completions.removeValue(forKey: settlement.sequence) else { return nil }
            return (completion, Self.result(settlement.result))
        }
    }

    private static func result(_ result: ConfirmTracker<PublishKey>.Result) -> PublishResult {
        switch result {
        case .confirmed: .confirmed
        case .returned(let code, let text): .returned(code: code, text: text)
        case .refused: .nacked
        case .timedOut: .timedOut
        case .connectionLost: .connectionLost
        }
    }
}

extension NIODeadline {
    /// The loop's monotonic clock in the form that the pure tier uses.
    var sinceBoot: Duration { .nanoseconds(Int64(clamping: uptimeNanoseconds)) }
}
