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

/// The shards that one event loop sends, carried between the desk, the connections and the ledger.
///
/// Confined to its loop. Decisions are `LoopRuns`' and `EndpointFaults`'; every fact is told to them and followed by
/// `act`.
final class SenderLoop {
    /// Progress is collected for this long, or for `LoopRuns.saveAnswers` (design, section 7).
    static let tick = TimeAmount.milliseconds(10)

    let loop: any EventLoop
    let worker: Int64
    private let ledger: Ledger
    let reports: any SenderReports
    private let lease: BrokerLease
    let logger: Logger
    var runs: LoopRuns
    /// What the requests of the runs share, by slots.
    private(set) var carriers: [ActiveRun?] = []
    private var actions: [LoopRuns.Action] = []
    private var isActing = false
    var endpoints: [EndpointKey: EndpointSender] = [:]
    /// Senders whose runs have gone over to another credential, until their last answer.
    var retiring: [EndpointSender] = []
    /// Which push services of strangers are out.
    var cooldowns = OriginCooldowns<ServiceKey>()
    /// Which runs leave while push services of strangers have not answered, by their slots.
    var strangers: StrangerPlaces
    /// Counts looks for senders, to know which one was not used for longest.
    var searches: UInt64 = 0
    /// Runs that wait for a token, by their slots.
    var awaiting: [Int: LoadedAccount] = [:]
    /// Who waits for the last connection to close.
    var closed: (() -> Void)?
    /// What the connections did that are closed.
    var ended: [ProviderMetrics.Key: ProviderMetrics] = [:]
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
        runs = LoopRuns(unflushedMax: unflushedMax)
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
        runs.forget(shard.id.key)
        act()
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
        let active = ActiveRun(shard: shard, requests: requests, account: account)
        let slot = runs.begin(run)
        if slot == carriers.count { carriers.append(active) } else { carriers[slot] = active }
        sender?.begin(isProbe: isProbe)
        active.sender = sender
        goWithout(search, active, slot)
        runs.ready(slot)
        act()
        if shard.slot != nil { schedulePacing() }
        scheduleTick()
    }

    /// Opens no more streams for a shard.
    func stop(_ key: ShardKey, _ reason: ShardRun.Stop) {
        runs.stop(key, reason)
        act()
    }

    /// Those of these shards whose runs are here and open no stream any more.
    func stopped(_ keys: [ShardKey]) -> [RunToken] {
        runs.stopped(keys).map { RunToken(key: $0.key, epoch: $0.epoch, worker: worker) }
    }

    /// The run goes on under a new epoch.
    func adopt(_ key: ShardKey, epoch: UInt32, isLeaseLost: Bool) {
        runs.adopted(key, epoch: epoch, isLeaseLost: isLeaseLost)
        act()
        scheduleTick()
    }

    /// Takes a run that is over out of the table and says how it ended; nil when it is not over any more.
    func takeOver(_ key: ShardKey) -> LoopRuns.Finished? {
        let finished = runs.takeOver(key)
        act()
        return finished
    }

    /// Closes all connections; in-flight streams are given up.
    func close(_ completion: @escaping () -> Void) {
        closed = completion
        let senders = endpoints.values
        endpoints.removeAll()
        for sender in senders { retire(sender) }
        finishIfClosed()
    }

    // MARK: - What follows

    /// Does what the runs' machine says; without effect within itself, because what is said meanwhile is done, too.
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
        case .ask(let slot): carriers[slot]?.sender?.add(slot)
        case .stopped(let slot): carriers[slot]?.sender?.giveBack(slot)
        case .tellOver(let key): reports.runIsOver(key)
        case .freed(let slot, let wasProbe):
            carriers[slot]?.sender?.drop(slot)
            if wasProbe { carriers[slot]?.sender?.probeEnded() }
            carriers[slot] = nil
            awaiting[slot] = nil
            strangers.left(slot)
        }
    }

    /// A run waits for a push service that has not answered yet: one that does has to leave when they are too many.
    func waits(_ slot: Int) {
        guard let leaving = strangers.waits(slot) else { return }
        carriers[leaving]?.sender?.leave(leaving)
    }

    /// A push service has answered: its runs stay.
    func keepPlaces(of sender: EndpointSender) {
        for slot in runs.sendingSlots where carriers[slot]?.sender === sender { strangers.left(slot) }
    }

    // MARK: - Streams

    /// The instant of this turn: one reading of the clock for all devices.
    func clock() -> Timestamp {
        if !isClockFresh {
            now = ledger.now()
            let now = MonotonicInstant(of: .now())
            runs.turnBegan(at: now, leaseUntil: lease.heldUntil, knownUntil: lease.knownUntil)
            isClockFresh = true
        }
        return now
    }

    /// The next `clock()` reads it anew.
    func freshenClock() { isClockFresh = false }

    /// Another bound of `worker.unflushed`; streams that are open stay open.
    func limitUnflushed(to answers: Int) {
        guard answers != runs.unflushedMax else { return }
        runs.limitUnflushed(to: answers)
        isClockFresh = false
        demandChanged()
    }

    /// Streams may be opened again.
    func demandChanged() {
        for sender in endpoints.values { sender.pool.demandChanged() }
    }

    /// What the requests of the run at a slot share; nil when the slot is free.
    func active(_ slot: Int) -> ActiveRun? { carriers[slot] }

    func turnEnded() {
        isClockFresh = false
        if runs.isSaveDue { save() } else { scheduleTick() }
    }

    /// The provider is out: all runs of the endpoint are set aside, and the desk is told.
    func tripped(_ sender: EndpointSender, _ trip: Breaker.Trip) {
        for slot in runs.sendingSlots where carriers[slot]?.sender === sender { runs.stop(slot, .setAside(.breaker)) }
        act()
        reports.tripped(app: sender.account.app, provider: sender.account.account.provider.name, trip)
    }

    /// The app's breaker is open: its runs are set aside, but for the probe.
    func setAside(app: String, provider: ProviderName) {
        runs.setAside(app: app, provider: provider)
        act()
    }

    // MARK: - The tick

    func scheduleTick() {
        guard !isTickScheduled, !runs.isEmpty else { return }
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
        let saves = runs.save()
        guard !saves.isEmpty else { return }
        let (bound, worker) = (NIOLoopBound(self, eventLoop: loop), worker)
        let priority: Ledger.Priority = runs.isSaveDue ? .atOnce : .withOthers
        ledger.submit(.normal, priority: priority, reach: .shards) { transaction in
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
