public import Campaigns

/// One run of a claimed shard: which device is next, what answers mean, when it is over.
///
/// Confined to the event loop that sends; a mutating call per device, no allocation for an accepted one. The clock is
/// handed in. What drives it opens a stream for each `next`, reports each stream's end once, saves `progress` while
/// it runs (`isDirty`), tells with `markCommitted` that a save is durable, and calls `finish` when `isOver`.
public struct ShardRun: Sendable {
    /// The shard.
    public let shard: Shard
    /// The claim's epoch: fences every write.
    public private(set) var epoch: UInt32
    /// What is known of its devices.
    public private(set) var progress: Progress
    /// Streams that are open for it.
    public private(set) var inFlight = 0
    /// Why no stream is opened any more; nil while the run goes on.
    public var stop: Stop? { isLeaseLost ? .leaseLost : reason }
    /// Whether `progress` has changed since `progressSaved`.
    public private(set) var isDirty = false
    /// Answers since `progressSaved`.
    public private(set) var unsaved = 0

    /// Whether it is the probe of an open breaker.
    public let isProbe: Bool

    /// Whether the next device's turn is yet to come: `wake` says when.
    public private(set) var isResting = false

    /// Whether it stops when its content is refused; after a person said to go on, only the ledger's totals count.
    private let stopsForContent: Bool
    private let ladder: RetryLadder
    private let turns: Turns?
    private var isProved = false
    private var contentFaults = 0
    /// Answers that the claim brought back.
    private var answeredBefore = 0
    private var reason: Stop?
    private var isLeaseLost = false
    private var committedMark: Int
    private var requests: [UInt8]
    private var refusals: [UInt16: UInt8] = [:]
    private var again: [UInt16] = []
    private var cursor = 0

    /// Streams refused by a peer are opened again at once at most this often; then the 5 s rung, not charged.
    public static let refusalsMax = 3

    /// With fewer answers that are the content's fault, it may be the devices' own content.
    public static let contentFaultsMin = 50
    /// With `dropUnknown`, devices by which the started mark is ahead of the streams at most (design, section 7).
    public static let markAhead = 64

    /// Why a run stops before its last device.
    public enum Stop: Equatable, Sendable {
        /// Save and set aside.
        case setAside(AsideReason)
        /// Settle the rest with this outcome.
        case end(Outcome)
        /// The delivery is lost: no more streams, answers in flight are still written if the epoch is still ours.
        case leaseLost
    }

    /// How a run ended, for the driver to carry out.
    public enum End: Equatable, Sendable {
        /// Write the settlement in one synced transaction, publish its retries, ack.
        case settle(Settlement)
        /// Save the progress, raise generation and epoch, mark `aside`; ack.
        case setAside(AsideReason, Progress)
        /// Save the progress if the epoch is ours; there is nothing to ack.
        case abandon(Progress)
        /// The law does not hold: park with an alarm.
        case violated
    }

    /// A run from the progress that the claim brought back.
    ///
    /// With `dropUnknown`, devices that a run before this one may have sent to without learning the answer end
    /// `failed` (`Unknown`) here. A shard that came back before its `notBefore` goes to the smallest rung that covers
    /// the rest, not charged.
    ///
    /// A probe has one stream open until the provider has answered it as it should (`proved`).
    ///
    /// `slot` is the shard's, on the clock that `now` is read from; devices whose turn has passed by more than `lateness`
    /// (microseconds) stay pending, and the shard is set aside for another (`rate`).
    public init(
        shard: Shard,
        epoch: UInt32,
        progress: Progress,
        slot: Slot? = nil,
        lateness: Int64 = Pacing.lateness,
        ladder: RetryLadder = RetryLadder(),
        isProbe: Bool = false,
        stopsForContent: Bool = true,
        now: Timestamp
    ) {
        precondition(progress.count == shard.devices.count, "progress of \(progress.count) for \(shard.id)")
        self.shard = shard
        self.epoch = epoch
        self.progress = progress
        self.ladder = ladder
        self.isProbe = isProbe
        self.stopsForContent = stopsForContent
        turns = slot.map { Turns(slot: $0, count: progress.count, lateness: lateness) }
        committedMark = progress.started
        requests = (0..<progress.count).map { UInt8(clamping: progress.requests(at: $0)) }
        if shard.facts.dropUnknown { dropStarted() }
        askAgain()
        answeredBefore = self.progress.answeredCount
        if let notBefore = shard.notBefore, notBefore > now { wait(until: notBefore, now: now) }
    }

    private mutating func dropStarted() {
        for position in 0..<progress.started where progress.codes[position] == 0 {
            let note = Progress.Note(reason: "Unknown", requests: max(requests[position], 1))
            progress.end(position, .failed, note)
            changed()
        }
        moveMark()
    }

    /// What a run before this one held back is asked again: the guard may have begun anew since.
    private mutating func askAgain() {
        guard progress.heldCount > 0 else { return }
        progress.resendHeld()
        isDirty = true
        // With at most once, only what the ledger knows to be pending may be sent to.
        if shard.facts.dropUnknown { committedMark = 0 }
    }

    /// Moves the started mark ahead when half of its lead is used; it counts once it is committed.
    private mutating func moveMark() {
        guard progress.started < progress.count, cursor + Self.markAhead / 2 >= committedMark else { return }
        let mark = min(progress.count, max(cursor, committedMark) + Self.markAhead)
        guard mark > progress.started else { return }
        progress.started = mark
        isDirty = true
    }

    /// A progress with this `started` is durable in the ledger: devices before it may be sent to.
    ///
    /// Only needed with `dropUnknown`, where it is what makes `at most once` true; harmless otherwise.
    public mutating func markCommitted(_ started: Int) {
        committedMark = max(committedMark, min(started, progress.count))
    }

    private mutating func wait(until notBefore: Timestamp, now: Timestamp) {
        for position in 0..<progress.count where progress.codes[position] == 0 {
            retry(position, reason: nil, retryAfter: notBefore.since(now), charged: false, now: now)
        }
    }

    /// The position of the next device to open a stream for; nil when there is none now.
    ///
    /// Devices that are too late end here, without a request. With `dropUnknown`, nil also while the started mark is
    /// not committed (`isWaitingForMark`).
    public mutating func next(now: Timestamp) -> Int? {
        guard stop == nil, !isProbeOut else { return nil }
        let isExpired = now >= shard.facts.expiresAt
        if let position = again.popLast() {
            if isExpired {
                expire(Int(position))
                return next(now: now)
            }
            return open(Int(position))
        }
        while cursor < progress.count {
            if shard.facts.dropUnknown {
                moveMark()
                if cursor >= committedMark { return nil }
            }
            let position = cursor
            if turns != nil, !isExpired, !isTurn(now) { return nil }
            guard cursor == position else { continue }
            cursor += 1
            guard progress.codes[position] == 0 else { continue }
            guard isExpired else { return open(position) }
            expire(position)
        }
        return nil
    }

    /// Whether requests are spread over a slot.
    public var isPaced: Bool { turns != nil }

    /// Whether it is the turn of the device at the cursor, which is moved past those that have missed theirs.
    ///
    /// The one device that asks for a probe goes at once.
    private mutating func isTurn(_ now: Timestamp) -> Bool {
        guard let turns, !isProving else { return true }
        while cursor < progress.count {
            switch turns.turn(of: cursor, now: now) {
            case .now: return true
            case .missed: cursor += 1
            case .later:
                isResting = true
                return false
            }
        }
        return true
    }

    /// Looks whose turn it is, for a run that `isPaced`: when to look again, in microseconds since the epoch; nil when
    /// somebody's turn is now, or when no turn is left.
    public mutating func wake(now: Timestamp) -> Int64? {
        isResting = false
        guard stop == nil, let turns else { return nil }
        if now < shard.facts.expiresAt, !isTurn(now) { return turns.slot.instant(of: cursor, among: progress.count) }
        return nil
    }

    /// Whether no stream may be opened before a save of the progress is durable.
    public var isWaitingForMark: Bool {
        shard.facts.dropUnknown && again.isEmpty && cursor >= committedMark && cursor < progress.count
    }

    private mutating func open(_ position: Int) -> Int {
        inFlight += 1
        if position >= progress.started { progress.started = position + 1 }
        if requests[position] < .max { requests[position] += 1 }
        return position
    }

    private mutating func expire(_ position: Int) {
        progress.end(position, .expired, Progress.Note(requests: requests[position]))
        changed()
    }

    private mutating func changed() {
        isDirty = true
        unsaved += 1
    }

    /// The device that `next` gave gets no request: its content says so, or it has none that can be sent.
    public mutating func leftOut(_ position: Int, _ end: LeftOut) {
        inFlight -= 1
        requests[position] -= 1
        progress.end(position, end.outcome, Progress.Note(reason: end.reason, requests: requests[position]))
        changed()
    }

    /// The device that `next` gave gets no request now: its push service is out, or cannot be connected to.
    ///
    /// `charged`: whether this counts as an attempt.
    public mutating func putBack(_ position: Int, reason: String, charged: Bool, now: Timestamp) {
        inFlight -= 1
        requests[position] -= 1
        retry(position, reason: reason, retryAfter: nil, charged: charged, now: now)
    }

    /// The provider took a device: the usual answer.
    public mutating func accepted(_ position: Int) {
        inFlight -= 1
        if requests[position] == 1 {
            progress.accept(position)
        } else {
            progress.end(position, .accepted, Progress.Note(requests: requests[position]))
        }
        changed()
    }

    /// A stream ended with this meaning.
    public mutating func ended(_ position: Int, _ verdict: Verdict, now: Timestamp) {
        inFlight -= 1
        switch verdict {
        case .outcome(let outcome, let reason, let deadSince):
            let note = Progress.Note(reason: reason, requests: requests[position], deadSince: deadSince)
            progress.end(position, outcome, note)
            changed()
        case .suspect(let reason):
            progress.hold(position, Progress.Note(reason: reason, requests: requests[position]))
            changed()
        case .retry(let reason, let retryAfter, let charged):
            retry(position, reason: reason, retryAfter: retryAfter, charged: charged, now: now)
        case .resend:
            requests[position] -= 1  // it was certainly not processed
            sendAgain(position, reason: "RefusedStream", otherwise: .retry, now: now)
        case .again(let reason, let otherwise):
            // The run may be stopped before its turn comes again: then this request counts all the same.
            progress.noteRequests(position, requests[position])
            changed()
            sendAgain(position, reason: reason, otherwise: otherwise, now: now)
        case .setAside(let reason):
            keepPending(position, reason)
        }
    }

    /// The provider refused a device's content, as it would any other's; true when the campaign is to be stopped.
    ///
    /// That is when there are many, and more than were accepted. Call it after `ended`.
    public mutating func contentRefused() -> Bool {
        contentFaults += 1
        guard stopsForContent, contentFaults.isMultiple(of: Self.contentFaultsMin),
            progress.counts.accepted < contentFaults
        else { return false }
        requestStop(.setAside(.content))
        return true
    }

    /// The device stays pending; a request was made all the same.
    private mutating func keepPending(_ position: Int, _ reason: AsideReason) {
        progress.noteRequests(position, requests[position])
        changed()
        if self.reason == nil { self.reason = .setAside(reason) }
    }

    private mutating func sendAgain(_ position: Int, reason: String, otherwise: Verdict.Otherwise, now: Timestamp) {
        let count = refusals[UInt16(position), default: 0] + 1
        refusals[UInt16(position)] = count
        if count <= Self.refusalsMax {
            again.append(UInt16(position))
            return
        }
        switch otherwise {
        case .retry: retry(position, reason: reason, retryAfter: nil, charged: false, now: now)
        case .setAside: keepPending(position, .credentials)
        }
    }

    private mutating func retry(
        _ position: Int,
        reason: String?,
        retryAfter: Duration?,
        charged: Bool,
        unanswered: Bool = false,
        now: Timestamp
    ) {
        let situation = RetryLadder.Situation(
            attempt: shard.attempt,
            maxAttempts: shard.facts.maxAttempts,
            expiresAt: shard.facts.expiresAt
        )
        var note = Progress.Note(reason: reason, requests: requests[position], unanswered: unanswered)
        switch ladder.decide(situation, retryAfter: retryAfter, charged: charged, now: now) {
        case .wait(let rung, let notBefore, let isCharged):
            note.notBefore = notBefore
            note.charged = isCharged
            progress.retry(position, rung, note)
        case .expired:
            progress.end(position, .expired, note)
        case .exhausted:
            progress.end(position, .failed, note)
        }
        changed()
    }

    /// No answer came, and whether the request was processed is not known.
    public mutating func unanswered(_ position: Int, reason: String, now: Timestamp) {
        if shard.facts.dropUnknown {
            ended(position, .outcome(.failed, reason: "Unknown", deadSince: nil), now: now)
        } else {
            inFlight -= 1
            retry(position, reason: reason, retryAfter: nil, charged: true, unanswered: true, now: now)
        }
    }

    /// Opens no more streams.
    ///
    /// The first stop stands, but an ending goes before setting aside, and a lost lease before both for as long as it
    /// is lost.
    public mutating func requestStop(_ stop: Stop) {
        switch (reason, stop) {
        case (_, .leaseLost): isLeaseLost = true
        case (nil, _), (.setAside, .end): reason = stop
        case (.setAside, .setAside), (.end, _), (.leaseLost, _): return
        }
    }

    /// A claim for a delivery that came back was granted to this run: it goes on, under the new epoch, unless something
    /// else than the lost lease stopped it meanwhile.
    ///
    /// What was saved under the old one and refused is saved again, and what was held back is asked again: the guard
    /// may have begun anew meanwhile. `isLeaseLost`: whether that delivery is lost, too.
    public mutating func adopted(epoch: UInt32, isLeaseLost: Bool) {
        self.epoch = epoch
        self.isLeaseLost = isLeaseLost
        isDirty = true
        guard !shard.facts.dropUnknown else { return }
        for position in 0..<progress.count where progress.state(at: position) == .held {
            again.append(UInt16(position))
        }
        progress.resendHeld()
    }

    /// Whether every stream is closed and none will be opened: `finish` is due.
    public var isOver: Bool {
        guard inFlight == 0 else { return false }
        return stop != nil || (again.isEmpty && cursor >= progress.count)
    }

    /// Whether a device may still wait for `next`.
    public var hasWork: Bool {
        stop == nil && !isWaitingForMark && !isProbeOut && !isResting && (!again.isEmpty || cursor < progress.count)
    }

    /// Whether the next fault decides that the provider is no better.
    public var isProving: Bool { isProbe && !isProved }

    private var isProbeOut: Bool { isProving && inFlight > 0 }

    /// The provider gave an answer that only one that works gives: a probe goes on with all its devices.
    public mutating func proved() {
        isProved = true
    }

    /// What a probe that is over says of the provider; nil for other runs, and when it may come back.
    public var probeResult: Breaker.ProbeResult? {
        guard isProbe else { return nil }
        switch stop {
        case .setAside(.breaker), .setAside(.credentials): return .failed
        case .leaseLost: return nil
        case .setAside, .end, nil: return isProved ? .healthy : .nothing
        }
    }

    /// The progress has been handed to the ledger.
    public mutating func progressSaved() {
        isDirty = false
        unsaved = 0
    }

    /// The ledger did not take a progress with so many answers: they are to be saved again.
    public mutating func saveFailed(unsaved: Int) {
        isDirty = true
        self.unsaved += unsaved
    }

    /// How the run ended.
    ///
    /// Call it once, when `isOver`.
    public func finish() -> End {
        precondition(inFlight == 0, "\(inFlight) streams are open for \(shard.id)")
        var last = progress
        last.started = 0  // every stream has ended: nothing is in doubt
        switch stop {
        case .leaseLost: return .abandon(last)
        case .setAside(let reason) where last.pendingCount > 0: return .setAside(reason, last)
        case .end(let outcome): last.endCooldown(outcome)
        case nil where turns != nil && last.pendingCount > 0: return .setAside(.rate, last)
        case .setAside, nil: break
        }
        guard var settlement = Settlement.make(progress: last, attempt: shard.attempt) else { return .violated }
        settlement.contentFaults = contentFaults
        settlement.answeredBefore = answeredBefore
        return .settle(settlement)
    }
}
