public import Delivery
import HTTP2
public import Logging
public import NIOCore
public import TLS

/// Sends requests to one provider endpoint over HTTP/2 on one event loop, over as many connections as it needs.
///
/// ```swift
/// let pool = ProviderPool(
///     loop: loop, endpoint: HTTP2Endpoint(host: "api.push.apple.com", port: 443), tls: context,
///     configuration: ProviderPoolConfiguration(seed: seed), source: sender, logger: logger)
/// sender.nextRequest is called from now on until it has none
/// waits for answers, then closes everything
/// ```
/// ``Delivery/ConnectionPool`` decides about connections. Each tick of the loop first does all reads (answers go to the
/// source as they come), then opens as many requests as there are free streams, then flushes each connection once.
/// Created, used and closed on its loop only. The pool keeps itself alive until it is closed, and the source must
/// outlive it.
public final class ProviderPool {
    /// The pool's counts since it was created, as of its last tick for those of the state machine.
    public internal(set) var counters = ProviderPoolCounters()
    /// The times from request to answer, by the clock of the ticks that opened and read them.
    public internal(set) var answerTimes = AnswerTimes()

    let loop: any EventLoop
    let endpoint: HTTP2Endpoint
    let configuration: ProviderPoolConfiguration
    let source: any RequestSource
    let logger: Logger
    /// The TLS context; nil on a network in memory (``ConnectingEventLoop``), where HTTP/2 is spoken in the clear.
    let tls: TLSClientContext?
    /// The TLS state of the latest established connection, for the next one.
    var resumption: TLSResumption?
    var machine: ConnectionPool
    var connections: [ProviderConnection] = []
    var hasDemand = false
    var retirements: [ConnectionPool.ConnectionID] = []
    var isTickScheduled = false
    /// True if a tick is scheduled for after a connection's pause.
    var isLaterTickScheduled = false
    /// The connection that is filled first; it moves on with each tick, so that none is always last.
    var firstConnection = 0
    /// True if an ENHANCE_YOUR_CALM was among the ends reported last.
    var isCalmAsked = false
    /// The time of the last log line about stream limits.
    var limitsLoggedAt: NIODeadline?
    var timer: Scheduled<Void>?
    var timerAt: NIODeadline?
    var load: LoopLoad
    var fairness = DeadlineFairness()
    /// The shortest and the longest answer time since the machine was last told.
    var answerSpan: ClosedRange<Int64>?
    var completion: (() -> Void)?
    var drainUntil: NIODeadline?
    var isClosed = false

    /// Creates a pool without connections; call it on `loop`.
    public init(
        loop: any EventLoop,
        endpoint: HTTP2Endpoint,
        tls: TLSClientContext,
        configuration: ProviderPoolConfiguration,
        source: any RequestSource,
        logger: Logger
    ) {
        loop.preconditionInEventLoop()
        self.loop = loop
        self.endpoint = endpoint
        self.tls = loop.isOnSharedNetwork ? tls : nil
        self.configuration = configuration
        self.source = source
        self.logger = logger
        self.machine = ConnectionPool(configuration: configuration.connections, seed: configuration.seed)
        self.load = LoopLoad()
    }

    /// The number of requests whose end has not been reported.
    public var inFlight: Int { self.connections.reduce(0) { $0 + $1.http2.inFlight } }

    /// The connections by state.
    public var state: ConnectionPool.Snapshot { self.machine.snapshot }

    /// Tells the pool that there are requests: it fetches them from the source until there are none.
    public func demandChanged() {
        self.loop.assertInEventLoop()
        guard !self.isClosed && self.drainUntil == nil else { return }
        self.hasDemand = true
        self.scheduleTick()
    }

    /// Sets how many connections stay open while there are no requests, and opens the first one if there is none.
    ///
    /// It is for requests that must be sent the moment they come. May be repeated; with 0, connections close when they
    /// have been unused for some minutes.
    public func keep(_ connections: Int) {
        self.loop.assertInEventLoop()
        guard !self.isClosed && self.drainUntil == nil else { return }
        self.run(self.machine.keep(connections, now: NIODeadline.now().instant))
        self.scheduleTick()
    }

    /// Takes a connection out of service once its streams have ended; a new one is opened on demand.
    ///
    /// It is for 403 ExpiredProviderToken, after which a connection is permanently unusable.
    public func retireConnection(_ id: ConnectionPool.ConnectionID) {
        self.loop.assertInEventLoop()
        // Deferred within the tick, because this is called during reads.
        self.retirements.append(id)
        self.scheduleTick()
    }

    /// Opens no more streams, waits up to `drainDeadline` for answers, then closes and calls `completion` once.
    public func close(_ completion: @escaping () -> Void) {
        self.loop.assertInEventLoop()
        precondition(self.drainUntil == nil, "a pool is closed once")
        self.completion = completion
        self.hasDemand = false
        self.drainUntil = .now() + TimeAmount(self.configuration.drainDeadline)
        self.run(self.machine.shutDown())
        self.scheduleTick()
    }
}

/// The load of the loop's thread: CPU time per elapsed time, sampled once per tick.
struct LoopLoad {
    /// The share above which more connections would only add cost.
    static let busyShare = 0.9
    /// The shortest span in nanoseconds whose share is meaningful.
    private static let spanMin: Int64 = 50_000_000

    private(set) var isBusy = false
    private var wall: Int64 = 0
    private var cpu: Int64 = 0

    /// Samples the clocks of the thread (nanoseconds).
    mutating func sample(wall: Int64, cpu: Int64) {
        let span = wall - self.wall
        guard span >= Self.spanMin else { return }
        self.isBusy = Double(cpu - self.cpu) >= Self.busyShare * Double(span)
        self.wall = wall
        self.cpu = cpu
    }
}
