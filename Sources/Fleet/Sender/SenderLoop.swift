import Campaigns
import Delivery
import Logging
import NIOCore
import PushProviders
import Store
import Transport

/// What the runs of one event loop report to the worker's desk, on that loop.
protocol SenderReports: Sendable {
    /// Every stream of the run is closed and none will be opened, until it is adopted.
    func runIsOver(_ key: ShardKey)
    /// The provider refuses the app's credentials.
    func credentialsRefused(_ key: ShardKey, reason: String)
    /// The provider refuses the campaign's content, whatever the device.
    func contentRefused(_ key: ShardKey, reason: String)
    /// The provider is out for an app, as far as this loop can see.
    func tripped(app: String, provider: ProviderName, _ trip: Breaker.Trip)
}

/// The shards that one event loop sends: which has the next free stream, what answers mean, when progress is saved.
///
/// Confined to its loop. Decisions are `ShardRun`'s; this drives runs, pools and the ledger's tick.
final class SenderLoop {
    /// Progress is collected for this long, or for so many answers (design, section 7).
    static let tick = TimeAmount.milliseconds(10)
    static let tickAnswers = 2_000

    let loop: any EventLoop
    let worker: Int64
    private let ledger: Ledger
    let reports: any SenderReports
    private let lease: BrokerLease
    let logger: Logger
    /// Answers that may be uncommitted before no stream is opened.
    private(set) var unflushedMax: Int
    /// The same in this turn: none without the lease.
    private var openMax = 0

    private(set) var runs: [ActiveRun?] = []
    private var freeSlots: [Int] = []
    private(set) var slots: [ShardKey: Int] = [:]
    var endpoints: [EndpointKey: EndpointSender] = [:]
    /// Senders whose runs have gone over to another credential, until their last answer.
    var retiring: [EndpointSender] = []
    /// Which push services of strangers are out.
    var rests = OriginRests<ServiceKey>()
    /// Which runs leave while push services of strangers have not answered, by their slots.
    var strangers: StrangerPlaces
    /// Counts looks for senders, to know which one was not used for longest.
    var searches: UInt64 = 0
    /// Runs that wait for a token, by their slots.
    var awaiting: [Int: LoadedAccount] = [:]
    /// Who waits for the last connection to close.
    var closed: (() -> Void)?
    /// Answers that the ledger does not have yet.
    private(set) var unflushed = 0
    /// What the connections did that are closed.
    var ended: [ProviderFigures.Key: ProviderFigures] = [:]
    private var isSaving = false
    private var isTickScheduled = false
    private var now: Timestamp
    private var isClockFresh = false
    /// Whether a look at whose turn it is has been scheduled.
    var isPacing = false

    struct EndpointKey: Hashable {
        var app: String
        var provider: ProviderName
        var endpoint: String
        /// For devices whose tokens were called wrong once: a refused token slows its connection down.
        var isApart: Bool
        /// Bulk shards that wait for streams must not stand before it.
        var isUrgent: Bool
    }

    /// A push service of an app, over whatever connections.
    struct ServiceKey: Hashable {
        var app: String
        var provider: ProviderName
        var endpoint: ProviderEndpoint
    }

    init(
        loop: any EventLoop,
        worker: Int64,
        ledger: Ledger,
        loops: Int,
        unflushedMax: Int,
        reports: any SenderReports,
        lease: BrokerLease,
        logger: Logger
    ) {
        self.loop = loop
        self.worker = worker
        self.ledger = ledger
        strangers = StrangerPlaces(loops: loops)
        self.unflushedMax = unflushedMax
        self.reports = reports
        self.lease = lease
        self.logger = logger
        now = ledger.now()
    }

    // MARK: - The desk's orders

    /// Starts a claimed shard.
    ///
    /// With a token on its way it waits for that; when there will be none it is over at once, to be set aside.
    func start(
        _ shard: Shard,
        epoch: UInt32,
        progress: Progress,
        account: LoadedAccount,
        lateness: Int64 = Pacing.lateness,
        isProbe: Bool,
        stopsForContent: Bool
    ) {
        loop.preconditionInEventLoop()
        let key = shard.id.key
        if let slot = slots[key] { forget(slot) }
        let run = ShardRun(
            shard: shard,
            epoch: epoch,
            progress: progress,
            slot: shard.slot,
            lateness: lateness,
            ladder: RetryLadder(from: account.account.provider.firstRung),
            isProbe: isProbe,
            stopsForContent: stopsForContent,
            now: clock()
        )
        let search = search(for: account, shard)
        let sender = search.found
        let requests =
            sender?.requests(for: shard.facts)
            ?? account.account.requests(for: shard.facts, authorization: nil, now: clock())
        let active = ActiveRun(run: run, requests: requests, account: account)
        let slot = freeSlots.popLast() ?? runs.count
        if slot == runs.count { runs.append(active) } else { runs[slot] = active }
        slots[key] = slot
        sender?.begin(isProbe: isProbe)
        active.sender = sender
        goWithout(search, active, slot)
        active.run.isOver ? report(slot) : queue(slot)
        if run.isPaced { schedulePacing() }
        scheduleTick()
    }

    /// Opens no more streams for a shard.
    func stop(_ key: ShardKey, _ reason: ShardRun.Stop) {
        guard let slot = slots[key] else { return }
        stop(slot, reason)
    }

    func stop(_ slot: Int, _ reason: ShardRun.Stop) {
        guard let active = runs[slot] else { return }
        active.run.requestStop(reason)
        active.sender?.giveBack(slot)
        reportIfOver(slot)
    }

    /// Those of these shards whose runs are here and open no stream any more.
    func stopped(_ keys: [ShardKey]) -> [RunToken] {
        keys.compactMap { key in
            guard let slot = slots[key], let active = runs[slot], active.run.stop != nil else { return nil }
            return RunToken(key: key, epoch: active.run.epoch, worker: worker)
        }
    }

    /// The run goes on under a new epoch.
    func adopt(_ key: ShardKey, epoch: UInt32, isLeaseLost: Bool) {
        guard let slot = slots[key], let active = runs[slot] else { return }
        active.isReported = false
        active.run.adopted(epoch: epoch, isLeaseLost: isLeaseLost)
        if active.run.hasWork { queue(slot) }
        reportIfOver(slot)
        scheduleTick()
    }

    /// Takes a run that is over out of the table and says how it ended; nil when it is not over any more.
    func takeOver(_ key: ShardKey) -> FinishedRun? {
        guard let slot = slots[key], let active = runs[slot], active.run.isOver else { return nil }
        let run = active.run
        remove(slot)
        return FinishedRun(end: run.finish(), shard: run.shard, epoch: run.epoch, probe: run.probeResult)
    }

    /// Closes all connections; in-flight streams are given up.
    func close(_ completion: @escaping () -> Void) {
        closed = completion
        let senders = endpoints.values
        endpoints.removeAll()
        for sender in senders { retire(sender) }
        finishIfClosed()
    }

    /// Lets go of a run of an older epoch, which nobody waits for and whose writes are refused.
    ///
    /// Its streams may still be open, when the broker or another worker was faster than the provider: then its place
    /// stays taken until the last of them has ended.
    private func forget(_ slot: Int) {
        guard let active = runs[slot] else { return }
        active.run.requestStop(.leaseLost)
        active.isReported = true
        active.sender?.giveBack(slot)
        if active.run.inFlight == 0 { return remove(slot) }
        active.isForgotten = true
        unflushed -= active.counted
        active.counted = 0
        active.sender?.drop(slot)
        slots[active.run.shard.id.key] = nil
    }

    private func remove(_ slot: Int) {
        guard let active = runs[slot] else { return }
        precondition(active.run.inFlight == 0, "a run with open streams is removed")
        unflushed -= active.counted
        if !active.isForgotten { slots[active.run.shard.id.key] = nil }
        active.sender?.drop(slot)
        if active.run.isProbe { active.sender?.probeEnded() }
        awaiting[slot] = nil
        strangers.left(slot)
        runs[slot] = nil
        freeSlots.append(slot)
    }

    /// A run waits for a push service that has not answered yet: one that does has to leave when they are too many.
    func waits(_ slot: Int) {
        guard let leaving = strangers.waits(slot) else { return }
        runs[leaving]?.sender?.leave(leaving)
    }

    /// A push service has answered: its runs stay.
    func keepPlaces(of sender: EndpointSender) {
        for slot in slots.values where runs[slot]?.sender === sender { strangers.left(slot) }
    }

    // MARK: - Streams

    /// The instant of this turn: one reading of the clock for all devices.
    func clock() -> Timestamp {
        if !isClockFresh {
            now = ledger.now()
            openMax = lease.holds(now: .now()) ? unflushedMax : 0
            isClockFresh = true
        }
        return now
    }

    /// The next `clock()` reads it anew.
    func freshenClock() { isClockFresh = false }

    /// Whether streams may be opened, as of the last `clock()`: answers that are not committed are what a crash repeats,
    /// besides the streams that were in flight when they became too many.
    var mayOpen: Bool { unflushed < openMax }

    /// Another bound of `worker.unflushed`; streams that are open stay open.
    func limitUnflushed(to answers: Int) {
        guard answers != unflushedMax else { return }
        unflushedMax = answers
        isClockFresh = false
        demandChanged()
    }

    /// Streams may be opened again.
    func demandChanged() {
        for sender in endpoints.values { sender.pool.demandChanged() }
    }

    func active(_ slot: Int) -> ActiveRun? { runs[slot] }

    /// Counts what a run has to save since it was last counted.
    ///
    /// By the run's own number: a stream that was refused leaves nothing to save, a device that is too late does
    /// without a stream. What is counted and never saved would stop this loop for good.
    func count(_ slot: Int) {
        if let active = runs[slot] { count(active) }
    }

    private func count(_ active: ActiveRun) {
        let unsaved = active.run.unsaved
        unflushed += unsaved - active.counted
        active.counted = unsaved
    }

    /// A device's answer, or what it means, was written into the run at a slot.
    func noted(_ slot: Int, _ active: ActiveRun) {
        if active.isForgotten {
            if active.run.inFlight == 0 { remove(slot) }
            return
        }
        count(active)
        if active.run.isOver { report(slot) }
    }

    func turnEnded() {
        isClockFresh = false
        if unflushed >= Self.tickAnswers { save() } else { scheduleTick() }
    }

    /// The run at a slot may be over: tells the desk once.
    func reportIfOver(_ slot: Int) {
        guard let active = runs[slot], active.run.isOver else { return }
        report(slot)
    }

    private func report(_ slot: Int) {
        guard let active = runs[slot], !active.isReported else { return }
        active.isReported = true
        reports.runIsOver(active.run.shard.id.key)
    }

    func credentialsRefused(_ active: ActiveRun, reason: String) {
        guard !active.isRefusalReported else { return }
        active.isRefusalReported = true
        reports.credentialsRefused(active.run.shard.id.key, reason: reason)
    }

    func contentRefused(_ active: ActiveRun, reason: String) {
        reports.contentRefused(active.run.shard.id.key, reason: reason)
    }

    /// The provider is out: all runs of the endpoint are set aside, and the desk is told.
    func tripped(_ sender: EndpointSender, _ trip: Breaker.Trip) {
        for slot in slots.values where runs[slot]?.sender === sender { stop(slot, .setAside(.breaker)) }
        reports.tripped(app: sender.account.app, provider: sender.account.account.provider.name, trip)
    }

    /// The app's breaker is open: its runs are set aside, but for the probe.
    func setAside(app: String, provider: ProviderName) {
        for slot in slots.values {
            guard let active = runs[slot], !active.run.isProbe, active.run.shard.facts.app == app,
                active.run.shard.facts.provider == provider
            else { continue }
            stop(slot, .setAside(.breaker))
        }
    }

    func queue(_ slot: Int) {
        guard let active = runs[slot] else { return }
        active.sender?.add(slot)
    }

    // MARK: - The tick

    func scheduleTick() {
        guard !isTickScheduled, !slots.isEmpty else { return }
        isTickScheduled = true
        loop.assumeIsolated().scheduleTask(in: Self.tick) {
            self.isTickScheduled = false
            self.isClockFresh = false
            self.lookForTokens()
            for sender in self.endpoints.values where sender.hasPutOff {
                sender.askIfDrained()
                self.scheduleTick()
            }
            self.save()
        }
    }

    /// Hands the progress of all runs that have changed to the ledger, one save at a time.
    private func save() {
        guard !isSaving else { return }
        var saves: [ProgressSave] = []
        for slot in slots.values {
            guard let active = runs[slot], active.run.isDirty else { continue }
            let token = RunToken(key: active.run.shard.id.key, epoch: active.run.epoch, worker: worker)
            count(slot)
            saves.append(ProgressSave(token: token, progress: active.run.progress, answers: active.run.unsaved))
            active.run.progressSaved()
            active.counted = 0
        }
        guard !saves.isEmpty else { return }
        isSaving = true
        let sent = saves
        let bound = NIOLoopBound(self, eventLoop: loop)
        let haste: Ledger.Haste = unflushed >= Self.tickAnswers ? .atOnce : .withOthers
        ledger.submit(.normal, haste: haste, reach: .shards) { transaction in
            try transaction.saveProgress(sent.map { ($0.token, $0.progress) })
        } completion: { [loop] result in
            loop.execute { bound.value.saved(sent, result) }
        }
    }

    private func saved(_ saves: [ProgressSave], _ result: Result<[RunToken], LedgerError>) {
        isSaving = false
        switch result {
        case .success(let fenced): for save in saves { committed(save, isFenced: fenced.contains(save.token)) }
        case .failure(let error):
            logger.error("the ledger does not take progress", metadata: ["error": "\(error)"])
            for save in saves { failed(save) }
        }
        demandChanged()
        scheduleTick()
    }

    private func committed(_ save: ProgressSave, isFenced: Bool) {
        unflushed -= save.answers
        guard let slot = slots[save.token.key], let active = runs[slot], active.run.epoch == save.token.epoch else {
            return
        }
        if isFenced { return stop(save.token.key, .leaseLost) }
        active.run.markCommitted(save.progress.started)
        if active.run.shard.facts.dropUnknown, active.run.hasWork { queue(slot) }
    }

    /// The answers are in the run's progress and count as unflushed until a later save succeeds.
    private func failed(_ save: ProgressSave) {
        guard let slot = slots[save.token.key], let active = runs[slot] else {
            unflushed -= save.answers
            return
        }
        active.run.saveFailed(unsaved: save.answers)
        active.counted += save.answers
    }
}

/// A run that is over, on its way to the ledger.
struct FinishedRun: Sendable {
    var end: ShardRun.End
    var shard: Shard
    var epoch: UInt32
    /// What it says of the provider, when it was a breaker's probe.
    var probe: Breaker.ProbeResult?
}

/// What one run hands to the ledger at a tick.
private struct ProgressSave: Sendable {
    var token: RunToken
    var progress: Progress
    var answers: Int
}
