public import Campaigns

/// One run of a claimed shard: it knows the next device, the meaning of answers, and its own end.
///
/// Confined to the event loop that sends; one mutating call per device, and no allocation for an accepted one. The
/// caller passes the time. The driver opens a stream for each `next` and reports each stream's end once. It saves
/// `progress` while the run goes on (`isDirty`), reports durable saves by `markCommitted`, and calls `finish` when
/// `isOver`.
public struct ShardRun: Sendable {
    /// The shard.
    public let shard: Shard
    /// The claim's epoch, which fences every write.
    public private(set) var epoch: UInt32
    /// The progress of its devices.
    public private(set) var progress: Progress
    /// The number of its open streams.
    public private(set) var inFlight = 0
    /// The reason why no more streams are opened; nil while the run continues.
    public var stop: Stop? { isLeaseLost ? .leaseLost : reason }
    /// True if `progress` has changed since `progressSaved`.
    public private(set) var isDirty = false
    /// The number of answers since `progressSaved`.
    public private(set) var unsaved = 0

    /// True if it is the probe of an open breaker.
    public let isProbe: Bool

    /// True if the next device's turn is yet to come; `wake` returns its instant.
    public private(set) var isResting = false

    /// True if a rate counts for its devices and it has no slot: only the one device of a probe goes without a turn.
    private let needsTurns: Bool
    /// True if it stops when its content is refused; after a person said to continue, only the ledger's totals count.
    private let stopsForContent: Bool
    private let ladder: RungChoice
    private let turns: Turns?
    private var isProved = false
    private var contentFaults = 0
    /// The number of answers that the claim brought back.
    private var answeredBefore = 0
    private var reason: Stop?
    private var isLeaseLost = false
    private var committedMark: Int
    private var requests: [UInt8]
    private var refusals: [UInt16: UInt8] = [:]
    private var again: [UInt16] = []
    private var cursor = 0

    /// The number of times that a refused stream is opened again at once; then the 5 s rung, not charged.
    public static let refusalsMax = 3

    /// The number of content faults below which the content may be the devices' own.
    public static let contentFaultsMin = 50
    /// The lead of the started mark over the streams, in devices, with `dropUnknown` (design, section 7).
    public static let markAhead = 64

    /// The reason why a run stops before its last device.
    public enum Stop: Equatable, Sendable {
        /// Save and set aside.
        case setAside(AsideReason)
        /// Settle the remaining devices with this outcome.
        case end(Outcome)
        /// The delivery is lost: open no more streams; answers in flight are still written if the epoch is still ours.
        case leaseLost
    }

    /// The end of a run, for the driver to carry out.
    public enum End: Equatable, Sendable {
        /// Write the settlement in one synced transaction, publish its retries, ack.
        case settle(Settlement)
        /// Save the progress, raise generation and epoch, mark `aside`; ack.
        case setAside(AsideReason, Progress)
        /// Save the progress if the epoch is ours; there is nothing to ack.
        case abandon(Progress)
        /// The law does not hold: park the shard with an alarm.
        case violated
    }

    /// A run from the progress that the claim brought back.
    ///
    /// With `dropUnknown`, devices to which an earlier run may have sent without learning the answer end `failed`
    /// (`Unknown`) here. A shard that came back before its `notBefore` goes to the smallest rung that covers the
    /// remaining time, not charged.
    ///
    /// A probe has only one stream open until the provider has answered it normally (`proved`). The others of its
    /// devices are set aside for their turns then, if a rate counts for them and they have no slot (`isUnderRate`).
    ///
    /// `slot` is the shard's, on the clock that `now` is read from. Devices whose turn has passed by more than
    /// `lateness` (microseconds) stay pending, and the shard is set aside for another slot (`rate`).
    public init(
        shard: Shard,
        epoch: UInt32,
        progress: Progress,
        slot: Slot? = nil,
        lateness: Int64 = Pacing.lateness,
        ladder: RungChoice = RungChoice(),
        isProbe: Bool = false,
        isUnderRate: Bool = false,
        stopsForContent: Bool = true,
        now: Timestamp
    ) {
        precondition(progress.count == shard.devices.count, "progress of \(progress.count) for \(shard.id)")
        self.shard = shard
        self.epoch = epoch
        self.progress = progress
        self.ladder = ladder
        self.isProbe = isProbe
        needsTurns = isUnderRate && slot == nil
        self.stopsForContent = stopsForContent
        turns = slot.map { Turns(slot: $0, count: progress.count, lateness: lateness) }
        committedMark = progress.started
        requests = (0..<progress.count).map { UInt8(clamping: progress.requests(at: $0)) }
        if shard.facts.policy.dropUnknown { dropStarted() }
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

    /// Asks again for devices that an earlier run held back: the guard may have started again since.
    private mutating func askAgain() {
        guard progress.heldCount > 0 else { return }
        progress.resendHeld()
        isDirty = true
        // With at most once, only devices that the ledger knows to be pending may be sent to.
        if shard.facts.policy.dropUnknown { committedMark = 0 }
    }

    /// Moves the started mark ahead when half of its lead is used; it takes effect once it is committed.
    private mutating func moveMark() {
        guard progress.started < progress.count, cursor + Self.markAhead / 2 >= committedMark else { return }
        let mark = min(progress.count, max(cursor, committedMark) + Self.markAhead)
        guard mark > progress.started else { return }
        progress.started = mark
        isDirty = true
    }

    /// Notes that a progress with this `started` is durable in the ledger: devices before it may be sent to.
    ///
    /// Needed only with `dropUnknown`, where it makes `at most once` true; otherwise harmless.
    public mutating func markCommitted(_ started: Int) {
        committedMark = max(committedMark, min(started, progress.count))
    }

    private mutating func wait(until notBefore: Timestamp, now: Timestamp) {
        for position in 0..<progress.count where progress.codes[position] == 0 {
            retry(position, reason: nil, retryAfter: notBefore.since(now), charged: false, now: now)
        }
    }

    /// Returns the position of the next device to open a stream for; nil if there is none now.
    ///
    /// Devices that are too late end here, without a request. With `dropUnknown`, the result is also nil while the
    /// started mark is not committed (`isWaitingForMark`).
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
            if shard.facts.policy.dropUnknown {
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

    /// True if requests are spread over a slot.
    public var isPaced: Bool { turns != nil }

    /// Returns true if it is the turn of the device at the cursor, which first moves past devices that missed their
    /// turns.
    ///
    /// The one device of a probe goes at once.
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

    /// Checks whose turn it is in a run that `isPaced`; returns the instant of the next check, in microseconds since
    /// the epoch.
    ///
    /// The result is nil if a device's turn is now, or if no turn is left.
    public mutating func wake(now: Timestamp) -> Int64? {
        isResting = false
        guard stop == nil, let turns else { return nil }
        if now < shard.facts.expiresAt, !isTurn(now) { return turns.slot.instant(of: cursor, among: progress.count) }
        return nil
    }

    /// True if the next save brings a mark behind which streams are opened, with `dropUnknown`.
    var hasNewMark: Bool { shard.facts.policy.dropUnknown && progress.started > committedMark }

    /// True if no stream may be opened before a save of the progress is durable.
    public var isWaitingForMark: Bool {
        shard.facts.policy.dropUnknown && again.isEmpty && cursor >= committedMark && cursor < progress.count
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

    /// Ends the device that `next` returned without a request: its content says so, or it has none that can be sent.
    public mutating func leftOut(_ position: Int, _ end: LeftOut) {
        inFlight -= 1
        requests[position] -= 1
        progress.end(position, end.outcome, Progress.Note(reason: end.reason, requests: requests[position]))
        changed()
    }

    /// Puts back the device that `next` returned without a request: its push service is out, or cannot be connected to.
    ///
    /// `charged`: true if this counts as an attempt.
    public mutating func putBack(_ position: Int, reason: String, charged: Bool, now: Timestamp) {
        inFlight -= 1
        requests[position] -= 1
        retry(position, reason: reason, retryAfter: nil, charged: charged, now: now)
    }

    /// Notes that the provider accepted a device: the usual answer.
    public mutating func accepted(_ position: Int) {
        inFlight -= 1
        if requests[position] == 1 {
            progress.accept(position)
        } else {
            progress.end(position, .accepted, Progress.Note(requests: requests[position]))
        }
        changed()
    }

    /// Notes that a stream ended with this meaning.
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
            // The run may be stopped before the device's turn comes again: then this request counts all the same.
            progress.noteRequests(position, requests[position])
            changed()
            sendAgain(position, reason: reason, otherwise: otherwise, now: now)
        case .setAside(let reason):
            keepPending(position, reason)
        }
    }

    /// Notes that the provider refused a device's content, as it would any other's; returns true if the campaign is to
    /// stop.
    ///
    /// That is the case once there are many refusals, and more than acceptances. Call it after `ended`.
    public mutating func contentRefused() -> Bool {
        contentFaults += 1
        guard stopsForContent, contentFaults.isMultiple(of: Self.contentFaultsMin),
            progress.counts.accepted < contentFaults
        else { return false }
        requestStop(.setAside(.content))
        return true
    }

    /// Keeps the device pending, although a request was made.
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
        let situation = RungChoice.Situation(
            attempt: shard.attempt,
            maxAttempts: shard.facts.policy.maxAttempts,
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

    /// Notes that no answer came: nobody knows if the request was processed.
    public mutating func unanswered(_ position: Int, reason: String, now: Timestamp) {
        if shard.facts.policy.dropUnknown {
            ended(position, .outcome(.failed, reason: "Unknown", deadSince: nil), now: now)
        } else {
            inFlight -= 1
            retry(position, reason: reason, retryAfter: nil, charged: true, unanswered: true, now: now)
        }
    }

    /// Opens no more streams.
    ///
    /// The first stop stands, but an ending replaces setting aside, and a lost lease comes before both for as long as
    /// it is lost.
    public mutating func requestStop(_ stop: Stop) {
        switch (reason, stop) {
        case (_, .leaseLost): isLeaseLost = true
        case (nil, _), (.setAside, .end): reason = stop
        case (.setAside, .setAside), (.end, _), (.leaseLost, _): return
        }
    }

    /// Continues the run under the new epoch, because a claim for a redelivery was granted to it.
    ///
    /// It stays stopped if something else than the lost lease stopped it meanwhile. Progress that was rejected under
    /// the old epoch is saved again. Devices that were held back are asked again: the guard may have started again
    /// meanwhile. `isLeaseLost`: true if that delivery is lost, too.
    public mutating func adopted(epoch: UInt32, isLeaseLost: Bool) {
        self.epoch = epoch
        self.isLeaseLost = isLeaseLost
        isDirty = true
        guard !shard.facts.policy.dropUnknown else { return }
        for position in 0..<progress.count where progress.state(at: position) == .held {
            again.append(UInt16(position))
        }
        progress.resendHeld()
    }

    /// True if every stream is closed and none will be opened: `finish` is due.
    public var isOver: Bool {
        guard inFlight == 0 else { return false }
        return stop != nil || (again.isEmpty && cursor >= progress.count)
    }

    /// True if a device may still wait for `next`.
    public var hasWork: Bool {
        stop == nil && !isWaitingForMark && !isProbeOut && !isResting && (!again.isEmpty || cursor < progress.count)
    }

    /// True if the next fault decides that the provider is no better.
    public var isProving: Bool { isProbe && !isProved }

    private var isProbeOut: Bool { isProving && inFlight > 0 }

    /// Notes an answer that only a working provider gives: a probe continues with all its devices, or these wait for
    /// their turns.
    public mutating func proved() {
        isProved = true
        if needsTurns { requestStop(.setAside(.rate)) }
    }

    /// The finding of an ended probe about the provider; nil for other runs, and if the probe may come back.
    public var probeResult: Breaker.ProbeResult? {
        guard isProbe else { return nil }
        switch stop {
        case .setAside(.breaker), .setAside(.credentials): return .failed
        case .leaseLost: return nil
        case .setAside, .end, nil: return isProved ? .healthy : .nothing
        }
    }

    /// Notes that the progress has been handed to the ledger.
    public mutating func progressSaved() {
        isDirty = false
        unsaved = 0
    }

    /// Notes that the ledger did not take a progress with this many answers: they are to be saved again.
    public mutating func saveFailed(unsaved: Int) {
        isDirty = true
        self.unsaved += unsaved
    }

    /// Returns the end of the run.
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
