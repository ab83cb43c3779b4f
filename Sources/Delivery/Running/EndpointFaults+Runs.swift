public import Campaigns
public import PushProviders

/// Events at an endpoint, applied together with the runs of its loop.
///
/// Each call tells the runs the fate of their devices before it returns, and returns the work that is left at the
/// endpoint.
extension EndpointFaults {
    /// The work that is left at the endpoint after a request that was not accepted.
    public struct Refusal: Equatable, Sendable {
        /// The beginning of the provider's outage; nil if there is none, or if it is already known.
        public var trip: Timestamp?
        /// True if this push service was one of many, was out, and answers again.
        public var endsCooldown = false
        /// True if the coordinator is to hear that the provider refuses the app's credentials; once for each run.
        public var isCredentialRefused = false
        /// True if the run stops because the provider refuses the campaign's content.
        public var isContentRefused = false

        /// No work is left.
        public init() {}
    }

    // MARK: - Answers

    /// Handles a good answer while `isRaised`; returns true if it ends the cooldown of one push service of many.
    public mutating func accepted(_ runIndex: Int, mark: UInt16, _ runs: inout LoopRuns, now: Timestamp) -> Bool {
        well(runs.request(runIndex, mark: mark), runIndex, &runs, now)
    }

    /// Handles an answer other than `accepted`.
    ///
    /// - Parameters:
    ///   - device: The device that the request was for.
    ///   - mark: The mark that the request carried (`mark(attempt:)`).
    ///   - verdict: The answer's meaning for the device, by the same rule.
    ///   - rule: The rule for answers of this class with this credential (`AnswerRule.after`).
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
        let (runIndex, request) = (device.runIndex, runs.request(device.runIndex, mark: mark))
        var refusal = Refusal()
        switch rule.breaker {
        case .fault:
            let step = fault(of: device, request, verdict, now: now)
            refusal.trip = step.trip
            switch step.fate {
            case .putOff: return refusal
            case .pending: runs.told(runIndex, device.position, .setAside(.breaker), now: now)
            case .asSaid: runs.told(runIndex, device.position, verdict, now: now)
            }
            tell(&runs, now)
        case .neutral:
            runs.told(runIndex, device.position, verdict, now: now)
            toldNothing(request)
        case .healthy:
            runs.told(runIndex, device.position, verdict, now: now)
            if isRaised { refusal.endsCooldown = well(request, runIndex, &runs, now) }
        case .opens:
            runs.told(runIndex, device.position, verdict, now: now)
            if verdict == .setAside(.breaker) { refusal.trip = refusedAll(now: now) }
            tell(&runs, now)
        }
        if runs.stop(of: runIndex) == .setAside(.credentials) {
            refusal.isCredentialRefused = runs.credentialsRefused(runIndex)
        }
        refusal.isContentRefused = rule.isContentFault && runs.contentRefused(runIndex)
        return refusal
    }

    // MARK: - No answer

    /// Handles a stream that was refused before the provider looked at it: the request was certainly not processed.
    public mutating func unprocessed(_ device: Device, mark: UInt16, _ runs: inout LoopRuns, now: Timestamp) {
        let request = runs.request(device.runIndex, mark: mark)
        runs.told(device.runIndex, device.position, .resend, now: now)
        toldNothing(request)
    }

    /// Handles a request without an answer: nobody knows if it was processed.
    ///
    /// Returns the beginning of the provider's outage if one follows. `isDeadline`: the stream was open until its
    /// deadline.
    public mutating func unanswered(
        _ device: Device,
        mark: UInt16,
        reason: String,
        isDeadline: Bool,
        _ runs: inout LoopRuns,
        now: Timestamp
    ) -> Timestamp? {
        let request = runs.request(device.runIndex, mark: mark)
        runs.unanswered(device.runIndex, device.position, reason: reason, now: now)
        let trip = unanswered(request, isDeadline: isDeadline, now: now)
        tell(&runs, now)
        return trip
    }

    /// Handles a connection that failed to open or refused its first stream; returns as `unanswered`.
    ///
    /// - Parameters:
    ///   - waiting: The indices of the runs that wait for the connection.
    ///   - isInUse: False if no run has anything to do with these connections: one that was only kept for later says
    ///     nothing about the app, whose breaker would stay open until somebody sends. Of one service of many it does.
    public mutating func connectionFailed(
        waiting: [Int],
        isInUse: Bool,
        _ runs: inout LoopRuns,
        now: Timestamp
    ) -> Timestamp? {
        guard isInUse || isOneOfMany else { return nil }
        let trip = connectionFailed(
            isAwaited: !waiting.isEmpty,
            isAwaitedByProbe: waiting.contains { runs.isProving($0) },
            now: now
        )
        tell(&runs, now)
        return trip
    }

    // MARK: - Runs

    /// Notes that a run begins, and tells the runs what that decides.
    public mutating func runBegan(isProbe: Bool, isDoubted: Bool, _ runs: inout LoopRuns, now: Timestamp) {
        runBegan(isProbe: isProbe, isDoubted: isDoubted)
        tell(&runs, now)
    }

    /// Notes that a run opens no more streams: its deferred devices stay pending.
    public mutating func runStopped(_ runIndex: Int, _ runs: inout LoopRuns, now: Timestamp) {
        runStopped(runIndex)
        tell(&runs, now)
    }

    /// Retires the endpoint after its runs have moved to other connections: nobody waits for the meaning of its faults.
    public mutating func retire(_ runs: inout LoopRuns, now: Timestamp) {
        retire()
        tell(&runs, now)
    }

    /// Notes that no request is in progress or waiting, so no answer will come that tells the meaning of the faults.
    ///
    /// Returns true if some devices ask again.
    @discardableResult
    public mutating func drained(_ runs: inout LoopRuns, now: Timestamp) -> Bool {
        let asks = drained()
        tell(&runs, now)
        return asks
    }

    /// Notes that the provider works: a probe continues with all its devices, and earlier faults were the devices' own.
    private mutating func well(_ request: Request, _ runIndex: Int, _ runs: inout LoopRuns, _ now: Timestamp) -> Bool {
        guard case .well(let endsCooldown) = healthy(request) else { return false }
        tell(&runs, now)
        if request.isProving { runs.proved(runIndex) }
        return endsCooldown
    }

    /// Tells the runs the fate of deferred devices.
    private mutating func tell(_ runs: inout LoopRuns, _ now: Timestamp) {
        for decision in decided {
            runs.told(decision.device.runIndex, decision.device.position, decision.verdict, now: now)
        }
        decided.removeAll(keepingCapacity: true)
    }
}
