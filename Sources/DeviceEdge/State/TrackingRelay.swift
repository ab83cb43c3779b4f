import AMQP
import Campaigns
import Delivery
import NIOCore
import Synchronization
import Transport

/// Publishes phones' tracking reports, with confirms (the edge's side).
///
/// Reports that come within moments share a message, so that a rush costs the broker little. The entries of one
/// request are never split. May be used from any task.
final class TrackingRelay: Sendable {
    /// The result for a request.
    enum Verdict: Sendable, Equatable {
        /// The broker has the entries.
        case taken
        /// The entries were not taken, or that is unknown: the phone sends them again, and they count once.
        case later
    }

    /// The most entries that may wait; further ones are refused at once, so that an answer never waits for long.
    static let waitingMax = 50_000
    /// The entries of a message at which no further request joins it.
    static let entriesOfMessage = 1_000
    /// The bytes of a message at which no further request joins it: half the limit of a batch.
    static let bytesOfMessage = TrackingBatch.bytesMax / 2
    /// The most messages without a confirm: while one is on its way to the broker's disk, the next one is filled.
    static let unconfirmedMax = 4
    /// The time that the first request of a message waits for others: a phone does not notice it, and in a rush the
    /// broker and the workers get one message for dozens of requests.
    static let gathering = TimeAmount.milliseconds(5)
    /// The time to wait for a confirm before phones are told to come later.
    static let timeout = Duration.seconds(5)

    private struct Request {
        var entries: [TrackingBatch.Entry]
        var told: CheckedContinuation<Verdict, Never>
    }

    private struct State {
        var waiting: [Request] = []
        var entries = 0
        var isScheduled = false
        var isClosed = false
        /// The broker is in an alarm.
        var isBlocked = false
    }

    /// The part of the state that belongs to the loop.
    private final class Sending {
        let publisher: AMQPPublisher
        var out = 0
        /// True while requests wait for a confirm.
        var isHeldBack = false

        init(_ publisher: AMQPPublisher) {
            self.publisher = publisher
        }
    }

    private let endpoint: AMQPEndpoint
    private let loop: any EventLoop
    private let state = Mutex(State())
    private let sending: NIOLoopBoundBox<Sending?>

    /// Creates a publisher that connects when it is first needed.
    init(_ endpoint: AMQPEndpoint, on loop: any EventLoop) {
        self.endpoint = endpoint
        self.loop = loop
        sending = .makeBoxSendingValue(nil, eventLoop: loop)
    }

    /// Returns the connection, which is made at the first request; called on the loop.
    private func connected() -> Sending {
        if let sending = sending.value { return sending }
        let publisher = AMQPPublisher(
            loop: loop,
            endpoint: endpoint,
            name: "fanfare edge",
            seed: "\(UInt64.random(in: 0 ... .max))",
            limits: AMQPPublisher.Limits(timeout: Self.timeout)
        )
        let made = Sending(publisher)
        sending.value = made
        publisher.onChange = { [weak publisher, weak self] _ in
            guard let publisher else { return }
            let isBlocked = publisher.isBlocked
            self?.state.withLock { $0.isBlocked = isBlocked }
        }
        publisher.start()
        return made
    }

    /// Publishes the entries of one request in one message, and waits for the confirm.
    func take(_ entries: [TrackingBatch.Entry]) async -> Verdict {
        precondition(entries.count <= TrackingBatch.entriesMax, "a request has too many entries")
        guard !entries.isEmpty else { return .taken }
        return await withCheckedContinuation { told in
            let (isTaken, isFirst) = state.withLock { state -> (Bool, Bool) in
                guard !state.isClosed, !state.isBlocked, state.entries + entries.count <= Self.waitingMax else {
                    return (false, false)
                }
                state.waiting.append(Request(entries: entries, told: told))
                state.entries += entries.count
                defer { state.isScheduled = true }
                return (true, !state.isScheduled)
            }
            if !isTaken { return told.resume(returning: .later) }
            if isFirst { loop.scheduleTask(in: Self.gathering) { self.send() } }
        }
    }

    /// Publishes waiting requests while there are fewer unconfirmed messages than allowed; runs on the loop.
    private func send() {
        let sending = connected()
        while true {
            // If held back, waiting requests are sent at the next confirm.
            sending.isHeldBack = sending.out == Self.unconfirmedMax
            if sending.isHeldBack { return }
            let requests = state.withLock { state in Self.next(&state) }
            guard !requests.isEmpty else { return }
            sending.out += 1
            let body = TrackingBatch(requests.flatMap(\.entries)).encoded()
            let message = OutboundMessage(
                exchange: BrokerNames.tracking,
                routingKey: "",
                properties: MessageProperties(
                    contentType: "application/octet-stream",
                    type: TrackingBatch.messageType,
                    messageID: String(UInt64.random(in: 0 ... .max), radix: 36)
                ),
                body: body
            )
            sending.publisher.publish(message) { [self] result in
                sending.out -= 1
                let verdict: Verdict = result == .confirmed ? .taken : .later
                for request in requests { request.told.resume(returning: verdict) }
                if sending.isHeldBack { send() }
            }
        }
    }

    private static func next(_ state: inout State) -> [Request] {
        var (taken, count, bytes) = (0, 0, 0)
        for request in state.waiting {
            let more = request.entries.reduce(0) { $0 + $1.bytesMost }
            guard taken == 0 || (count + request.entries.count <= entriesOfMessage && bytes + more <= bytesOfMessage)
            else { break }
            taken += 1
            count += request.entries.count
            bytes += more
        }
        guard taken > 0 else {
            state.isScheduled = false
            return []
        }
        defer { state.waiting.removeFirst(taken) }
        state.entries -= count
        return Array(state.waiting[..<taken])
    }

    /// Waits for the confirms of what was taken, then closes; later requests are refused.
    func close() async {
        state.withLock { $0.isClosed = true }
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            loop.execute { [self] in
                // Requests that are being gathered are sent at once.
                if state.withLock({ !$0.waiting.isEmpty }) { send() }
                guard let publisher = sending.value?.publisher else { return done.resume() }
                publisher.close { done.resume() }
            }
        }
    }
}
