import Glibc
import HTTP2
import Synchronization

/// Judges the requests of one event loop at one provider: first the rules, then the faults, then the device.
///
/// Confined to its loop.
final class LoopCore {
    /// The loop's running totals; only readers of the statistics contend for the lock.
    final class Totals: Sendable {
        let value = Mutex(LoopTotals())
    }

    /// The reaction to a request, and its delay.
    struct Judgement {
        let reaction: Reaction
        let latencyMilliseconds: Int
    }

    let state: ProviderState
    let totals: Totals
    private(set) var draw: FaultDraw
    /// The loop's open connections.
    var connections: [ObjectIdentifier: SimulatorConnection] = [:]
    /// The buffer in which frames are collected before they are encrypted; used within one call only.
    let frames = UnsafeMutableRawBufferPointer.allocate(
        byteCount: framesThreshold + HTTP2ServerSession.frameBytesMax,
        alignment: 16
    )
    /// A little less than a TLS record, so that frames fill whole records.
    static let framesThreshold = 15_000
    private var generation: Int
    private var date = (second: Int64.min, field: HeaderField("date", ""))

    init(state: ProviderState) {
        self.state = state
        totals = state.addLoop()
        generation = state.generation.load(ordering: .acquiring)
        draw = state.draw()
    }

    deinit { frames.deallocate() }

    /// Applies changed faults.
    func refreshFaults() {
        let current = state.generation.load(ordering: .acquiring)
        guard current != generation else { return }
        generation = current
        draw = state.draw()
    }

    /// Applies changed faults and notifies every connection, because its stream limit may have changed.
    func faultsChanged() {
        refreshFaults()
        for connection in connections.values { connection.faultsChanged() }
    }

    /// Returns milliseconds since 1970 on the simulator's clock.
    func now() -> Int64 { SimulatorClock.milliseconds(draw.faults) }

    /// Returns the `date` field of an answer, by the simulator's clock.
    func dateField() -> HeaderField {
        let second = now() / 1000
        if date.second != second { date = (second, HeaderField("date", HTTPDate.text(second))) }
        return date.field
    }

    /// Judges a complete request and counts it.
    func judge(_ request: inout ProviderRequest, at connection: any PeerConnection, now: Int64) -> Judgement {
        var judgement: Judgement
        switch connection.judge(request, faults: draw.faults, now: now) {
        case .passed(let addressee) where addressee.isDryRun:
            let counts = state.register.counts(of: addressee.key)
            judgement = decide(addressee, request, before: counts, at: connection, now: now)
            totals.value.withLock { $0.asides += 1 }
        case .passed(let addressee):
            judgement = state.register.update(addressee.key) { counts in
                let judgement = decide(addressee, request, before: counts, at: connection, now: now)
                counts.note(judgement.reaction, judged: true)
                return judgement
            }
            totals.value.withLock { $0.note(judgement.reaction) }
        case .refused(let answer, let addressee):
            let reaction = Reaction.answer(answer)
            let isDryRun = addressee?.isDryRun == true
            if let addressee, !isDryRun {
                state.register.update(addressee.key) { $0.note(reaction, judged: false) }
            }
            judgement = Judgement(
                reaction: reaction,
                latencyMilliseconds: draw.faults.latencyMilliseconds.lowerBound
            )
            totals.value.withLock { if isDryRun { $0.asides += 1 } else { $0.note(reaction) } }
        case .aside(let answer):
            judgement = Judgement(
                reaction: .answer(answer),
                latencyMilliseconds: draw.faults.latencyMilliseconds.lowerBound
            )
            totals.value.withLock { $0.asides += 1 }
        }
        if case .answer(var answer) = judgement.reaction {
            connection.complete(&answer, to: request)
            judgement = Judgement(
                reaction: .answer(answer),
                latencyMilliseconds: judgement.latencyMilliseconds
            )
        }
        if judgement.reaction != .refuse { state.last.keep(&request, reaction: judgement.reaction) }
        return judgement
    }

    /// Returns the reaction of the device and the faults to a request that broke no rule.
    private func decide(
        _ addressee: Addressee,
        _ request: borrowing ProviderRequest,
        before counts: TokenCounts,
        at connection: any PeerConnection,
        now: Int64
    ) -> Judgement {
        let reaction: Reaction
        switch draw.fate(of: addressee, before: counts) {
        case .refuse: reaction = .refuse
        case .reset: reaction = .reset
        case .stall: reaction = .stall
        case .behave(.accept):
            reaction = .answer(connection.accept(addressee, request: request, before: counts, now: now))
        case .behave(let behaviour):
            reaction = .answer(state.side.answer(to: behaviour, faults: draw.faults, now: now))
        }
        return Judgement(reaction: reaction, latencyMilliseconds: draw.latency(of: addressee.key, before: counts))
    }
}

/// The machine's clock, shifted by the fault `clock_offset`.
enum SimulatorClock {
    /// Returns milliseconds since 1970.
    static func milliseconds(_ faults: Faults) -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let milliseconds = Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        return milliseconds + Int64(faults.clockOffsetSeconds) * 1000
    }
}
