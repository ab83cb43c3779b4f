import Glibc
import HTTP2
import Synchronization

/// Judges the requests of one event loop: rules first, then the device, then the faults.
///
/// Confined to its loop.
final class LoopCore {
    /// The loop's running totals; the lock is met by nobody but readers of the statistics.
    final class Totals: Sendable {
        let value = Mutex(LoopTotals())
    }

    /// What to do with a request, and when.
    struct Judgement {
        let reaction: Reaction
        let latencyMilliseconds: Int
    }

    let state: SimulatorState
    let totals: Totals
    private(set) var draw: FaultDraw
    /// The loop's open connections.
    var connections: [ObjectIdentifier: APNsConnection] = [:]
    /// Where frames are gathered before they are encrypted; used within one call only.
    let frames = UnsafeMutableRawBufferPointer.allocate(
        byteCount: framesThreshold + HTTP2ServerSession.frameBytesMax,
        alignment: 16
    )
    /// A little less than a TLS record, so that frames fill whole ones.
    static let framesThreshold = 15_000
    private var generation: Int
    private var date = (second: Int64.min, field: HeaderField("date", ""))
    private var idsGiven: UInt64 = 0
    private let idSeed: UInt64

    init(state: SimulatorState, index: Int) {
        self.state = state
        totals = state.addLoop()
        generation = state.generation.load(ordering: .acquiring)
        draw = FaultDraw(state.faults, seed: state.configuration.seed)
        idSeed = Mixing.mix(state.configuration.seed ^ Mixing.mix(UInt64(index) + 1))
    }

    deinit { frames.deallocate() }

    /// Takes over faults that were changed.
    func refreshFaults() {
        let current = state.generation.load(ordering: .acquiring)
        guard current != generation else { return }
        generation = current
        draw = FaultDraw(state.faults, seed: state.configuration.seed)
    }

    /// Takes over changed faults and tells every connection, whose stream limit may be another now.
    func faultsChanged() {
        refreshFaults()
        for connection in connections.values { connection.faultsChanged() }
    }

    /// Milliseconds since 1970 on the simulator's clock.
    func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let milliseconds = Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        return milliseconds + Int64(draw.faults.clockOffsetSeconds) * 1000
    }

    /// The `date` of an answer, by the simulator's clock.
    func dateField() -> HeaderField {
        let second = now() / 1000
        if date.second != second { date = (second, HeaderField("date", HTTPDate.text(second))) }
        return date.field
    }

    /// Decides about a complete request and counts it.
    func judge(_ request: inout APNsRequest, connection: inout APNsConnectionFacts, now: Int64) -> Judgement {
        let finding = state.rules.finding(on: request, connection: &connection, now: now / 1000)
        let judgement: Judgement
        switch finding {
        case .passed(let token):
            let draw = draw
            judgement = state.register.update(token) { counts in
                let reaction = draw.reaction(to: token, before: counts, now: now)
                let latency = draw.latency(of: token, before: counts)
                counts.note(reaction, judged: true)
                return Judgement(reaction: reaction, latencyMilliseconds: latency)
            }
        case .refused(let reason, let token):
            let reaction = Reaction.answer(Answer(reason: reason))
            if let token { state.register.update(token) { $0.note(reaction, judged: false) } }
            judgement = Judgement(
                reaction: reaction,
                latencyMilliseconds: draw.faults.latencyMilliseconds.lowerBound
            )
        }
        totals.value.withLock { $0.note(judgement.reaction) }
        if judgement.reaction != .refuse { state.last.keep(&request, reaction: judgement.reaction) }
        return judgement
    }

    /// A UUID for a request that came without `apns-id`, as upper-case text like Apple's own.
    func makeID() -> [UInt8] {
        idsGiven += 1
        let high = Mixing.mix(idSeed ^ idsGiven)
        let low = Mixing.mix(high ^ idSeed)
        var bytes: [UInt8] = []
        for word in [high, low] {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
        // Version 4 and variant of RFC 9562.
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        var digits = Array(Hexadecimal.text(bytes).uppercased().utf8)
        for place in [8, 13, 18, 23] { digits.insert(UInt8(ascii: "-"), at: place) }
        return digits
    }
}
