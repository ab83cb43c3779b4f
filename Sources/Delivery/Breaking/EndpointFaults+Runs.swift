public import Campaigns
public import PushProviders

/// Facts of an endpoint, with the runs of its loop: what becomes of devices is told to their runs before a call returns,
/// and what is left to do at the endpoint is returned.
extension EndpointFaults {
    /// The work that is left at the endpoint after a request that was not accepted.
    public struct Refusal: Equatable, Sendable {
        /// The instant since when the provider is out; nil when it is not, or when that is known already.
        public var trip: Timestamp?
        /// True when one push service of many was out and answers again.
        public var endsRest = false
        /// True when the desk is to hear that the provider refuses the app's credentials: once for each run.
        public var isCredentialRefused = false
        /// True when the run stops because the provider refuses the campaign's content.
        public var isContentRefused = false

        /// Nothing is left to do.
        public init() {}
    }

    // MARK: - Answers

    /// A good answer while `isRaised`; true when it ends the rest of one push service of many.
    public mutating func accepted(_ slot: Int, mark: UInt16, _ runs: inout LoopRuns, now: Timestamp) -> Bool {
        well(runs.request(slot, mark: mark), slot, &runs, now)
    }

    /// An answer other than `accepted`.
    ///
    /// - Parameters:
    ///   - device: The device that was sent to.
    ///   - mark: What its request carried (`mark(attempt:)`).
    ///   - verdict: What the answer means for the device, by the same rule.
    ///   - rule: What is done about answers of this class with this credential (`AnswerRule.after`).
    ///   - runs: The runs of this loop.
    ///   - now: The instant of the answer.
    public mutating func refused(
        _ device: Device,
        mark: UInt16,
        _ verdict: Verdict,
        rule: AnswerRule,
        _ runs: inout LoopRuns,
        now: Timestamp
    ) -> Refusal {
        let (slot, request) = (device.slot, runs.request(device.slot, mark: mark))
        var refusal = Refusal()
        switch rule.breaker {
        case .fault:
            let step = fault(of: device, request, verdict, now: now)
            refusal.trip = step.trip
            switch step.fate {
            case .putOff: return refusal
            case .pending: runs.told(slot, device.position, .setAside(.breaker), now: now)
            case .asSaid: runs.told(slot, device.position, verdict, now: now)
            }
            tell(&runs, now)
        case .neutral:
            runs.told(slot, device.position, verdict, now: now)
            toldNothing(request)
        case .healthy:
            runs.told(slot, device.position, verdict, now: now)
            if isRaised { refusal.endsRest = well(request, slot, &runs, now) }
        case .opens:
            runs.told(slot, device.position, verdict, now: now)
            if verdict == .setAside(.breaker) { refusal.trip = refusedAll(now: now) }
            tell(&runs, now)
        }
        if runs.stop(of: slot) == .setAside(.credentials) {
            refusal.isCredentialRefused = runs.credentialsRefused(slot)
        }
        refusal.isContentRefused = rule.isContentFault && runs.contentRefused(slot)
        return refusal
    }

    // MARK: - No answer

    /// A stream was refused before the provider looked at it: the request was certainly not processed.
    public mutating func unprocessed(_ device: Device, mark: UInt16, _ runs: inout LoopRuns, now: Timestamp) {
        let request = runs.request(device.slot, mark: mark)
        runs.told(device.slot, device.position, .resend, now: now)
        toldNothing(request)
    }

    /// No answer came, and whether the request was processed is not known.
    ///
    /// Returns since when the provider is out, when that follows. `isDeadline`: the stream was open until its deadline.
    public mutating func unanswered(
        _ device: Device,
        mark: UInt16,
        reason: String,
        isDeadline: Bool,
        _ runs: inout LoopRuns,
        now: Timestamp
    ) -> Timestamp? {
        let request = runs.request(device.slot, mark: mark)
        runs.unanswered(device.slot, device.position, reason: reason, now: now)
        let trip = unanswered(request, isDeadline: isDeadline, now: now)
        tell(&runs, now)
        return trip
    }

    /// A connection came to nothing, or refused its first stream; returns as `unanswered`.
    ///
    /// `waiting`: the slots whose runs wait for it.
    public mutating func connectionFailed(
        waiting: [Int],
        _ runs: inout LoopRuns,
        now: Timestamp
    ) -> Timestamp? {
        let trip = connectionFailed(
            isAwaited: !waiting.isEmpty,
            isAwaitedByProbe: waiting.contains { runs.isProving($0) },
            now: now
        )
        tell(&runs, now)
        return trip
    }

    // MARK: - Runs

    /// See `runBegan`.
    public mutating func runBegan(isProbe: Bool, isDoubted: Bool, _ runs: inout LoopRuns, now: Timestamp) {
        runBegan(isProbe: isProbe, isDoubted: isDoubted)
        tell(&runs, now)
    }

    /// A run opens no stream any more: its devices that were put off stay pending.
    public mutating func runStopped(_ slot: Int, _ runs: inout LoopRuns, now: Timestamp) {
        runStopped(slot)
        tell(&runs, now)
    }

    /// The runs have gone over to other connections: nobody waits for what the faults mean.
    public mutating func retire(_ runs: inout LoopRuns, now: Timestamp) {
        retire()
        tell(&runs, now)
    }

    /// No request is under way or waits to be made, so no answer will come that tells; true when some devices ask again.
    @discardableResult
    public mutating func drained(_ runs: inout LoopRuns, now: Timestamp) -> Bool {
        let asks = drained()
        tell(&runs, now)
        return asks
    }

    /// The provider works: a probe goes on with all its devices, and faults are the devices'.
    private mutating func well(_ request: Request, _ slot: Int, _ runs: inout LoopRuns, _ now: Timestamp) -> Bool {
        guard case .well(let endsRest) = healthy(request) else { return false }
        tell(&runs, now)
        if request.isProving { runs.proved(slot) }
        return endsRest
    }

    /// Tells the runs what has become of devices that were put off.
    private mutating func tell(_ runs: inout LoopRuns, _ now: Timestamp) {
        for decision in decided {
            runs.told(decision.device.slot, decision.device.position, decision.verdict, now: now)
        }
        decided.removeAll(keepingCapacity: true)
    }
}
