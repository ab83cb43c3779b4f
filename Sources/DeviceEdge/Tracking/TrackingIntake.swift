import Campaigns
import NIOCore
import Store
import WebServing

/// Takes phones' tracking requests in batches: one read of the ledger, one publish to the broker and one task for all
/// requests that arrive within moments.
///
/// After a large send half a million phones report opens within a minute, and a task, a read and two thread changes for
/// each would be most of the cost. Only valid requests are taken here. Everything else goes to the responder, which
/// checks again and words the refusal. Confined to its loop.
final class TrackingIntake {
    /// The result of a request.
    enum Verdict: Sendable {
        /// The broker has confirmed the events.
        case taken(app: String)
        /// Nothing was taken, or that is unknown: the phone is to send again.
        case later(app: String)
        /// Nothing was taken and nothing counted: the responder is to answer.
        case unusual
    }

    /// The time that the first request waits for others: unnoticeable to a phone.
    private static let gathering = TimeAmount.milliseconds(4)
    /// The most requests of a batch.
    private static let batchMax = 512
    /// The most events of a request; a larger one is from a phone back online, which is no rush.
    private static let eventsMax = TrackingBatch.entriesMax / batchMax

    private struct Waiting {
        let ask: TrackingAsk
        let told: (Verdict) -> Void
    }

    /// A request from a known device with valid events.
    private struct Good {
        let waiting: Waiting
        let app: String
    }

    private let ledger: Ledger
    private let core: EdgeCore
    private let relay: TrackingRelay
    private let loop: any EventLoop
    private let executor: LoopExecutor
    private var waiting: [Waiting] = []
    /// True while a batch is being gathered or read.
    private var isBusy = false

    init(_ core: EdgeCore, on loop: any EventLoop) {
        ledger = core.ledger
        self.core = core
        relay = core.tracking
        self.loop = loop
        executor = LoopExecutor(loop)
    }

    /// Takes a request, and calls `told` on the loop with the result.
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
            // The next batch is read while this one is on its way to the broker.
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
                // Last, because the responder counts the requests that it answers.
                core.deviceLimiter.take(String(device.number), now: instant) == nil
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

    /// Returns a request's events; nil if anything in it is invalid.
    private func events(_ ask: TrackingAsk, of device: EdgeDevice, _ now: Timestamp) -> [TrackingBatch.Entry]? {
        guard let app = core.apps.withEdge(named: device.app) else { return nil }
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
