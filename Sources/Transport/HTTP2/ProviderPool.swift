public import Delivery
import HTTP2
public import Logging
public import NIOCore
import NIOPosix
public import TLS

/// Sends requests to one provider endpoint over HTTP/2 on one event loop, over as many connections as it takes.
///
/// ```swift
/// let pool = ProviderPool(
///     loop: loop, endpoint: HTTP2Endpoint(host: "api.push.apple.com", port: 443), tls: context,
///     configuration: ProviderPoolConfiguration(seed: seed), source: sender, logger: logger)
/// pool.demandChanged()          // sender.nextRequest is asked from now on until it has none
/// pool.close { … }              // answers are waited for, then all is closed
/// ```
/// Decisions about connections are ``Delivery/ConnectionPool``'s. Per turn of the loop: all reads first (answers go
/// to the source as they come), then as many requests as there are free streams, then one flush per connection.
/// Made, used and closed on its loop only; it keeps itself alive until it is closed. The source must outlive it.
public final class ProviderPool {
    /// What the pool has done.
    public internal(set) var counters = ProviderPoolCounters()
    /// How long answers took, by the clock of the turns that opened and read them.
    public internal(set) var answerTimes = AnswerTimes()

    let loop: any EventLoop
    let endpoint: HTTP2Endpoint
    let configuration: ProviderPoolConfiguration
    let source: any RequestSource
    let logger: Logger
    let tls: TLSClientContext
    /// From the connection that was established last, for the next one.
    var resumption: TLSResumption?
    var machine: ConnectionPool
    var connections: [ProviderConnection] = []
    var hasDemand = false
    var retirements: [ConnectionPool.ConnectionID] = []
    var isTurnScheduled = false
    /// A turn is due after a connection's pause.
    var isLaterTurnScheduled = false
    /// Which connection is asked first; moves on with each turn, so that none is always last.
    var firstConnection = 0
    /// An ENHANCE_YOUR_CALM was among the ends that were told last.
    var isCalmAsked = false
    /// When the log was last told of stream limits.
    var limitsLoggedAt: NIODeadline?
    var timer: Scheduled<Void>?
    var timerAt: NIODeadline?
    var load: LoopLoad
    var completion: (() -> Void)?
    var drainUntil: NIODeadline?
    var isClosed = false

    /// Makes a pool without connections; call it on `loop`.
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
        self.tls = tls
        self.configuration = configuration
        self.source = source
        self.logger = logger
        self.machine = ConnectionPool(configuration: configuration.connections, seed: configuration.seed)
        self.load = LoopLoad()
    }

    /// Requests whose end has not been told.
    public var inFlight: Int { self.connections.reduce(0) { $0 + $1.http2.inFlight } }

    /// Connections that exist, by state.
    public var state: ConnectionPool.Snapshot { self.machine.snapshot }

    /// There is work: the source is asked for requests until it has none.
    public func demandChanged() {
        self.loop.assertInEventLoop()
        guard !self.isClosed && self.drainUntil == nil else { return }
        self.hasDemand = true
        self.scheduleTurn()
    }

    /// Opens a connection if there is none, although there is no work yet.
    ///
    /// For requests that are to go at once when they come. Called again now and then it keeps one open, as far as the
    /// peer lets it.
    public func warm() {
        self.loop.assertInEventLoop()
        guard !self.isClosed && self.drainUntil == nil else { return }
        self.run(self.machine.warm(now: NIODeadline.now().instant))
        self.scheduleTurn()
    }

    /// Takes a connection out of service as soon as its streams have ended; a new one is opened on demand.
    ///
    /// For 403 ExpiredProviderToken, which wedges a connection for good.
    public func retireConnection(_ id: ConnectionPool.ConnectionID) {
        self.loop.assertInEventLoop()
        // Later in the turn, because this is called from within reads.
        self.retirements.append(id)
        self.scheduleTurn()
    }

    /// Opens no more streams, waits for answers up to `drainDeadline`, then closes and calls `completion` once.
    public func close(_ completion: @escaping () -> Void) {
        self.loop.assertInEventLoop()
        precondition(self.drainUntil == nil, "a pool is closed once")
        self.completion = completion
        self.hasDemand = false
        self.drainUntil = .now() + TimeAmount(self.configuration.drainDeadline)
        self.run(self.machine.shutDown())
        self.scheduleTurn()
    }
}

/// How busy the loop's thread is: CPU time per time, looked at once per tick.
struct LoopLoad {
    /// Above this share more connections would only cost.
    static let busyShare = 0.9
    /// Shares of shorter spans say little.
    private static let spanMin: Int64 = 50_000_000

    private(set) var isBusy = false
    private var wall: Int64 = 0
    private var cpu: Int64 = 0

    /// Looks at the thread's clocks (nanoseconds).
    mutating func sample(wall: Int64, cpu: Int64) {
        let span = wall - self.wall
        guard span >= Self.spanMin else { return }
        self.isBusy = Double(cpu - self.cpu) >= Self.busyShare * Double(span)
        self.wall = wall
        self.cpu = cpu
    }
}
