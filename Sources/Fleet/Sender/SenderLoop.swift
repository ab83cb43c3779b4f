import Campaigns
import Delivery
import Logging
import NIOCore
import PushProviders
import Settings
import Store
import Transport

/// The shards that one event loop sends, carried between the coordinator, the connections and the ledger.
///
/// Confined to its loop. `LoopRuns` and `EndpointFaults` decide; every fact is passed to them and followed by `act`.
final class SenderLoop {
    /// The time for which progress is collected, unless so many answers come that a save is due (design, section 7).
    static let tick = TimeAmount.milliseconds(10)

    let loop: any EventLoop
    let worker: Int64
    private let ledger: Ledger
    let reports: CoordinatorReports
    private let lease: BrokerLease
    let logger: Logger
    var runs: LoopRuns
    /// The data that the requests of each run share, by run number.
    private(set) var carriers: [ActiveRun?] = []
    private var actions: [LoopRuns.Action] = []
    private var isActing = false
    var endpoints: [EndpointKey: EndpointSender] = [:]
    /// Senders whose runs have moved to another credential; each stays until its last answer.
    var retiring: [EndpointSender] = []
    /// The cooldowns of push services that registrations name.
    var cooldowns = OriginCooldowns<ServiceKey>()
    /// The runs whose push service has not answered yet, by run index.
    var unansweredRuns: UnansweredRuns
    /// The number of searches for senders; it tells which sender has been unused for longest.
    var searches: UInt64 = 0
    /// The runs that wait for a token, by run number.
    var awaiting: [Int: LoadedAccount] = [:]
    /// The callback that waits for the last connection to close.
    var closed: (() -> Void)?
    /// The metrics of closed connections.
    var ended: [AccountKey: ProviderMetrics] = [:]
    /// The endpoints that were used lately.
    var warmth = WarmEndpoints<WarmRoute>()
    private var isTickScheduled = false
    private var now: Timestamp
    private var isClockFresh = false
    /// True if the next pacing is scheduled.
    var isPacing = false

    struct EndpointKey: Hashable {
        var app: String
        var provider: ProviderName
        var endpoint: String
        /// True for devices whose tokens were called wrong once: a refused token slows its connection down.
        var isApart: Bool
        /// True for urgent shards: bulk shards that wait for streams must not come before them.
        var isUrgent: Bool
    }

    /// A push service of an app, whatever its connections.
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
        reports: CoordinatorReports,
        lease: BrokerLease,
        logger: Logger
    ) {
        self.loop = loop
        self.worker = worker
        self.ledger = ledger
        unansweredRuns = UnansweredRuns(loops: loops)
        runs = LoopRuns(unflushedMax: unflushedMax)
        self.reports = reports
        self.lease = lease
        self.logger = logger
        now = ledger.now()
    }

    // MARK: - Orders of the coordinator

    /// Starts a claimed shard.
    ///
    /// If its token is on the way, it waits for that; if there will be none, it is over at once, to be set aside.
    func start(
        _ shard: Shard,
        epoch: UInt32,
        progress: Progress,
        account: LoadedAccount,
        lateness: Int64 = Pacing.lateness,
        isProbe: Bool,
        isUnderRate: Bool,
        stopsForContent: Bool
    ) {
        loop.preconditionInEventLoop()
        runs.forget(shard.id.key)
        act()
        let run = ShardRun(
            shard: shard,
            epoch: epoch,
            progress: progress,
            slot: shard.slot,
            lateness: lateness,
            ladder: RungChoice(from: account.account.provider.firstRung),
            isProbe: isProbe,
            isUnderRate: isUnderRate,
            stopsForContent: stopsForContent,
            now: clock()
        )
        noteUse(of: account, for: shard)
        let search = search(for: account, shard)
        let sender = search.found
        let requests =
            sender?.requests(for: shard.facts)
            ?? account.account.requests(for: shard.facts, authorization: nil, now: clock())
        let active = ActiveRun(shard: shard, requests: requests, account: account)
        let runIndex = runs.begin(run)
        if runIndex == carriers.count { carriers.append(active) } else { carriers[runIndex] = active }
        sender?.begin(isProbe: isProbe)
        active.sender = sender
        goWithout(search, active, runIndex)
        runs.ready(runIndex)
        act()
        if shard.slot != nil { schedulePacing() }
        scheduleTick()
    }

    /// Opens no more streams for a shard.
    func stop(_ key: ShardKey, _ reason: ShardRun.Stop) {
        runs.stop(key, reason)
        act()
    }

    /// Returns those of the shards whose runs are on this loop and for which a newer campaign need not wait.
    func stopped(_ keys: [ShardKey]) -> [RunToken] {
        runs.stopped(keys, now: MonotonicInstant(of: .now())).map {
            RunToken(key: $0.key, epoch: $0.epoch, worker: worker)
        }
    }

    /// Continues a run under a new epoch.
    func adopt(_ key: ShardKey, epoch: UInt32, isLeaseLost: Bool) {
        runs.adopted(key, epoch: epoch, isLeaseLost: isLeaseLost)
        act()
        scheduleTick()
    }

    /// Removes a run that is over and returns how it ended; nil when it is no longer over.
    func takeOver(_ key: ShardKey) -> LoopRuns.Finished? {
        let finished = runs.takeOver(key)
        act()
        return finished
    }

    /// Notes that the ledger has the end of a run that was taken over: its answers hold up no stream any more.
    func endCommitted(_ key: ShardKey, epoch: UInt32) {
        runs.endCommitted(key, epoch: epoch)
        demandChanged()
    }

    /// Closes all connections; streams in flight are given up.
    func close(_ completion: @escaping () -> Void) {
        closed = completion
        let senders = endpoints.values
        endpoints.removeAll()
        for sender in senders { retire(sender) }
        finishIfClosed()
    }

    // MARK: - Actions

    /// Performs the actions of `LoopRuns`.
    ///
    /// A nested call has no effect: the outer one performs the new actions as well.
    func act() {
        guard !isActing, !runs.actions.isEmpty else { return }
        isActing = true
        defer { isActing = false }
        while !runs.actions.isEmpty {
            runs.take(&actions)
            for action in actions { perform(action) }
        }
    }

    private func perform(_ action: LoopRuns.Action) {
        switch action {
        case .ask(let runIndex): carriers[runIndex]?.sender?.add(runIndex)
        case .stopped(let runIndex): carriers[runIndex]?.sender?.giveBack(runIndex)
        case .tellOver(let key): reports.runIsOver(key)
        case .freed(let runIndex, let wasProbe):
            carriers[runIndex]?.sender?.drop(runIndex)
            if wasProbe { carriers[runIndex]?.sender?.probeEnded() }
            carriers[runIndex] = nil
            awaiting[runIndex] = nil
            unansweredRuns.left(runIndex)
        }
    }

    /// Notes a run whose push service has not answered yet; when there are too many such runs, one leaves.
    func waits(_ runIndex: Int) {
        guard let leaving = unansweredRuns.waits(runIndex) else { return }
        carriers[leaving]?.sender?.leave(leaving)
    }

    /// Lets the runs of a push service that has answered keep their capacity.
    func keepRuns(of sender: EndpointSender) {
        for runIndex in runs.sendingIndexes where carriers[runIndex]?.sender === sender {
            unansweredRuns.left(runIndex)
        }
    }

    // MARK: - Streams

    /// Returns the instant of this loop tick: one reading of the clock for all devices.
    func clock() -> Timestamp {
        if !isClockFresh {
            now = ledger.now()
            let now = MonotonicInstant(of: .now())
            runs.tickBegan(at: now, leaseUntil: lease.heldUntil, knownUntil: lease.knownUntil)
            isClockFresh = true
        }
        return now
    }

    /// Makes the next `clock()` read the clock again.
    func freshenClock() { isClockFresh = false }

    /// Changes the limit `worker.unflushed`; open streams stay open.
    func limitUnflushed(to answers: Int) {
        guard answers != runs.unflushedMax else { return }
        runs.limitUnflushed(to: answers)
        isClockFresh = false
        demandChanged()
    }

    /// Tells all pools that streams may be opened again.
    func demandChanged() {
        for sender in endpoints.values { sender.pool.demandChanged() }
    }

    /// Returns true if a run has anything to do with these connections.
    func hasRuns(of sender: EndpointSender) -> Bool { carriers.contains { $0?.sender === sender } }

    /// Returns the shared data of the run with a number; nil when there is none.
    func active(_ runIndex: Int) -> ActiveRun? { carriers[runIndex] }

    func tickEnded() {
        isClockFresh = false
        if runs.isSaveDue { save() } else { scheduleTick() }
    }

    /// Sets all runs of the endpoint aside because the provider is out, and reports it.
    func tripped(_ sender: EndpointSender, _ trip: Breaker.Trip) {
        for runIndex in runs.sendingIndexes where carriers[runIndex]?.sender === sender {
            runs.stop(runIndex, .setAside(.breaker))
        }
        act()
        reports.tripped(app: sender.account.app, provider: sender.account.account.provider.name, trip)
    }

    /// Sets an app's runs aside because its breaker is open, except for the probe.
    func setAside(app: String, provider: ProviderName) {
        runs.setAside(app: app, provider: provider)
        act()
    }

    // MARK: - The tick

    func scheduleTick() {
        guard !isTickScheduled, !runs.isEmpty, hasTickWork else { return }
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

    /// True if the next tick has something to do: while a save is in progress there is nothing to save.
    private var hasTickWork: Bool {
        !runs.isSaving || !awaiting.isEmpty || endpoints.values.contains(where: \.hasPutOff)
    }

    /// Submits the progress of all runs that have changed to the ledger, one save at a time.
    private func save() {
        if runs.hurriesSave() { ledger.hurry() }
        let saves = runs.save()
        guard !saves.isEmpty else { return }
        let (bound, worker) = (NIOLoopBound(self, eventLoop: loop), worker)
        let priority: Ledger.Priority = runs.isSaveHurried ? .atOnce : .bulk
        // Answers that are lost are asked for again; a mark that is lost would have devices sent to twice.
        let durability: Ledger.Durability = runs.isSaveSynced ? .synced : .normal
        ledger.submit(durability, priority: priority, scope: .shards) { transaction in
            try transaction.saveProgress(
                saves.map { (RunToken(key: $0.key, epoch: $0.epoch, worker: worker), $0.progress) }
            )
        } completion: { [loop] result in
            loop.execute { bound.value.saved(result) }
        }
    }

    private func saved(_ result: Result<[RunToken], LedgerError>) {
        switch result {
        case .success(let fenced): runs.saved(fenced: Set(fenced.map(\.key)))
        case .failure(let error):
            logger.error("the ledger does not take progress", metadata: ["error": "\(error)"])
            runs.saveFailed()
        }
        act()
        demandChanged()
        scheduleTick()
    }
}
