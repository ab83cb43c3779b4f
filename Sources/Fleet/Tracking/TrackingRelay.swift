import AMQP
public import Campaigns
import Delivery
public import NIOCore
import Synchronization
public import Transport

/// Publishes what phones said, with confirms (the edge's side).
///
/// What comes within moments goes together into a message, so that a rush costs the broker little. What one
/// request said is never split. May be used from any task.
public final class TrackingRelay: Sendable {
    /// What became of what a request said.
    public enum Verdict: Sendable, Equatable {
        /// The broker has it.
        case taken
        /// Nothing was taken, or nobody knows: to be sent again, which counts once.
        case later
    }

    /// Entries that may wait; more are refused at once, so that an answer never waits for long.
    public static let waitingMax = 50_000
    /// Entries of a message at which no further request joins it.
    static let entriesOfMessage = 1_000
    /// The same for its bytes; half of what a batch may have.
    static let bytesOfMessage = TrackingBatch.bytesMax / 2
    /// Messages without a confirm: while one is on its way to the broker's disk the next one is filled.
    static let unconfirmedMax = 4
    /// How long the first request of a message waits for others: nothing to a phone, and in a rush the broker, and the
    /// workers behind it, have a message for dozens.
    static let gathering = TimeAmount.milliseconds(5)
    /// How long a confirm may take before phones are told to come later.
    static let patience = Duration.seconds(5)

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

    /// What belongs to the loop.
    private final class Sending {
        let publisher: AMQPPublisher
        var out = 0
        /// Requests wait until a confirm comes.
        var isHeldBack = false

        init(_ publisher: AMQPPublisher) {
            self.publisher = publisher
        }
    }

    private let endpoint: AMQPEndpoint
    private let loop: any EventLoop
    private let state = Mutex(State())
    private let sending: NIOLoopBoundBox<Sending?>

    /// An outlet that connects when it is needed first.
    public init(_ endpoint: AMQPEndpoint, on loop: any EventLoop) {
        self.endpoint = endpoint
        self.loop = loop
        sending = .makeBoxSendingValue(nil, eventLoop: loop)
    }

    /// The connection, made when the first phone speaks; called on the loop.
    private func connected() -> Sending {
        if let sending = sending.value { return sending }
        let publisher = AMQPPublisher(
            loop: loop,
            endpoint: endpoint,
            name: "fanfare edge",
            limits: AMQPPublisher.Limits(timeout: Self.patience)
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

    /// Publishes what one request said, all of it in one message, and waits for the confirm.
    public func take(_ entries: [TrackingBatch.Entry]) async -> Verdict {
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

    /// Publishes what waits as far as messages may be out; runs on the loop.
    private func send() {
        let sending = connected()
        while true {
            // Then what waits goes when a confirm comes.
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

    /// Waits for the confirms of what was taken, then closes; what comes later is refused.
    public func close() async {
        state.withLock { $0.isClosed = true }
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            loop.execute { [self] in
                // What is being gathered goes at once.
                if state.withLock({ !$0.waiting.isEmpty }) { send() }
                guard let publisher = sending.value?.publisher else { return done.resume() }
                publisher.close { done.resume() }
            }
        }
    }
}
