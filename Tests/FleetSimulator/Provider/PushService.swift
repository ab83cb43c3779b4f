import HTTP2
import Seeds

/// A push service behind HTTP/2: judges every request at once, answers after a while, and has its moods.
final class PushService: SimulatedService {
    /// The way in which the service treats requests at present.
    enum Mood: Equatable {
        case well
        /// Answers take this many milliseconds.
        case slow(Int)
        /// Requests are processed and never answered.
        case silent
        /// Answers have this status.
        case failing(Int)
        /// Streams are refused unprocessed.
        case refusing
        /// Streams are reset after processing.
        case resetting
        /// Bytes that are no HTTP/2 follow a request.
        case garbled
    }

    let host: SimulatedHost
    let runQueue: RunQueue
    let trace: Trace
    let isListening = true
    var mood = Mood.well
    /// The streams that a connection may have open.
    private(set) var streamsMax: UInt32 = 20
    private var sessions: [PushSession] = []
    private var random: SeededRandom
    /// Called when a client writes the first bytes of a stream.
    var streamOpened: (_ by: SimulatedHost) -> Void = { _ in }
    /// Called with each request that is processed.
    var processed: (ObservedPush) -> Void = { _ in }
    /// Called with each answer as it leaves, and as it reaches the client.
    var answered: (ObservedPush, _ status: Int) -> Void = { _, _ in }
    var answerArrived: (ObservedPush, _ status: Int) -> Void = { _, _ in }
    /// Called when it announces the end of its connections.
    var leaving: () -> Void = {}

    /// Called with each breach of HTTP/2 by a client.
    var faulted: (_ fault: String) -> Void = { _ in }

    init(_ host: SimulatedHost, trace: Trace, seed: UInt64) {
        self.host = host
        self.trace = trace
        runQueue = host.runQueue("provider")
        random = SeededRandom(seed: seed ^ 0x5EED_0004)
    }

    func accept(_ connection: SimulatedConnection) -> any SimulatedSession {
        let session = PushSession(connection, service: self)
        sessions.append(session)
        return session
    }

    func forget(_ session: PushSession) { sessions.removeAll { $0 === session } }

    /// Returns the time that the next answer takes, in nanoseconds.
    func answerTime() -> Int64 {
        if case .slow(let milliseconds) = mood { return Int64(milliseconds) * 1_000_000 }
        return 2_000_000 + Int64(random.below(40_000_000))
    }

    /// The status of a device's push: some tokens are dead.
    func status(of device: Int) -> Int {
        if case .failing(let status) = mood { return status }
        return device % 11 == 0 ? 410 : 200
    }

    /// Announces the end of every connection, which drops some of the streams unprocessed.
    func leave() {
        trace.note("provider", "sends GOAWAY")
        leaving()
        for session in sessions { session.leave(keeping: random.below(4)) }
    }

    /// Changes the streams that a connection may have open.
    func allow(_ streams: UInt32) {
        trace.note("provider", "allows \(streams) streams")
        streamsMax = streams
        for session in sessions { session.allow(streams) }
    }
}
