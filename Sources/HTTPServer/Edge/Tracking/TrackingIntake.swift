import Campaigns
import Fleet
import NIOCore
import Store

/// Takes what phones track by the dozen: one look into the ledger, one hand-over to the broker and one task for all
/// requests that come within moments.
///
/// After a large send half a million phones say within a minute that they were opened, and a task, a read and two
/// changes of thread for each would be most of the cost. Only what is well is taken here: everything else is left to the
/// door, which asks again and refuses in its words. Confined to its loop.
final class TrackingIntake {
    /// What became of a request.
    enum Verdict: Sendable {
        /// The broker has it.
        case taken(app: String)
        /// Nothing was taken, or nobody knows: to be sent again.
        case later(app: String)
        /// Nothing was taken and nothing counted: the door is to answer.
        case unusual
    }

    /// How long the first request waits for others: nothing to a phone.
    private static let gathering = TimeAmount.milliseconds(4)
    /// Requests of a batch at most.
    private static let batchMax = 512
    /// Events of a request at most; a larger one is a phone that comes back, which is no rush.
    private static let eventsMax = TrackingBatch.entriesMax / batchMax

    private struct Waiting {
        let ask: TrackingAsk
        let told: (Verdict) -> Void
    }

    /// A request whose sender is known and whose events are good.
    private struct Good {
        let waiting: Waiting
        let app: String
    }

    private let ledger: Ledger
    private let edge: EdgeCore
    private let relay: TrackingRelay
    private let loop: any EventLoop
    private let executor: LoopExecutor
    private var waiting: [Waiting] = []
    /// A batch is being gathered or read.
    private var isBusy = false

    init(_ core: ServerCore, on loop: any EventLoop) {
        ledger = core.ledger
        edge = core.edge
        relay = core.tracking
        self.loop = loop
        executor = LoopExecutor(loop)
    }

    /// Takes a request, and says on the loop what became of it.
    func take(_ ask: TrackingAsk, told: @escaping (Verdict) -> Void) {
        waiting.append(Waiting(ask: ask, told: told))
        if !isBusy { gather() }
    }

    private func gather() {
        isBusy = true
        loop.assumeIsolated().scheduleTask(in: Self.gathering) { self.work() }
    }

    private func work() {
        let batch = Array(waiting.prefix(Self.batchMax))
        waiting.removeFirst(batch.count)
        let here = NIOLoopBound((self, batch), eventLoop: loop)
        Task(executorPreference: executor) {
            let (intake, batch) = here.value
            let hashes = batch.map(\.ask.secretHash)
            let devices = try? await intake.ledger.read { ledger throws(LedgerError) in
                try ledger.devices(secretHashes: hashes)
            }
            // The next ones are read while these are on their way to the broker.
            if intake.waiting.isEmpty { intake.isBusy = false } else { intake.gather() }
            await intake.publish(batch, devices ?? [:])
        }
    }

    private func publish(_ batch: [Waiting], _ devices: [[UInt8]: EdgeDevice]) async {
        let (now, instant) = (ledger.now(), ContinuousClock.now)
        var (entries, good) = ([TrackingBatch.Entry](), [Good]())
        for waiting in batch {
            guard let device = devices[waiting.ask.secretHash],
                let events = events(waiting.ask, of: device, now),
                // Last of all, because the door counts what it answers.
                edge.deviceLimiter.take(String(device.number), now: instant) == nil
            else {
                waiting.told(.unusual)
                continue
            }
            entries += events
            good.append(Good(waiting: waiting, app: device.app))
        }
        let verdict = await relay.take(entries)
        for request in good {
            request.waiting.told(verdict == .taken ? .taken(app: request.app) : .later(app: request.app))
        }
    }

    /// What a request says; nil when anything in it is not as it should be.
    private func events(_ ask: TrackingAsk, of device: EdgeDevice, _ now: Timestamp) -> [TrackingBatch.Entry]? {
        guard let app = edge.app(named: device.app) else { return nil }
        let request = TrackingRequest(ask.body, now: now)
        guard request.problems.isEmpty, request.events.count <= Self.eventsMax else { return nil }
        var entries: [TrackingBatch.Entry] = []
        for event in request.events {
            guard let sender = TrackedDevice(messageID: event.messageID, sentBy: device, of: app) else { return nil }
            entries.append(.event(TrackingEvent(event, of: sender)))
        }
        return entries
    }
}
