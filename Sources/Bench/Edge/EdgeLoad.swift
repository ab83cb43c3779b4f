import Campaigns
import NIOCore
import NIOPosix
import Operations

/// Phones that open an app after a push: requests at scheduled instants, over connections that stay open.
///
/// Cheap on purpose: the generator shares the machine with the measured server. A request is due at its instant whether
/// or not the previous one is answered, so that a stall of the server shows. Confined to one loop.
final class EdgeLoad {
    /// The requests, their schedule and their path.
    struct Plan: Sendable {
        let wire: EdgeWire
        /// On 127.0.0.1.
        let port: Int
        let schedule: EdgeSchedule
        let opens: EdgeOpens
    }

    private static let tick = TimeAmount.milliseconds(1)
    /// The longest wait for answers after the last request.
    private static let timeout = TimeAmount.seconds(30)
    /// The longest wait for usable connections; after it the bench fails.
    private static let openingMax = TimeAmount.seconds(10)

    private enum Stage {
        case opening
        case running
        case over
    }

    private let loop: any EventLoop
    private let plan: Plan
    private let done: (Result<Report, any Error>) -> Void
    private var stage = Stage.opening
    private var links: [any EdgeLink] = []
    private var ready = 0
    private var begin = NIODeadline.now()
    private var cpuBefore = 0.0
    private var sent = 0
    /// Requests answered, or known to be lost.
    private var settled = 0
    private var report: Report
    /// Links with something to send, each once; two arrays used alternately, to keep their memory.
    private var unflushed: [any EdgeLink] = []
    private var spareUnflushed: [any EdgeLink] = []

    private init(loop: any EventLoop, plan: Plan, done: @escaping (Result<Report, any Error>) -> Void) {
        self.loop = loop
        self.plan = plan
        self.done = done
        report = Report(capacity: plan.schedule.total)
    }

    /// Opens the connections, sends all requests, and returns when the last one is answered.
    static func run(_ plan: Plan) async throws -> Report {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let result: Result<Report, any Error>
        do {
            result = .success(try await run(plan, on: group.next()))
        } catch {
            result = .failure(error)
        }
        try await group.shutdownGracefully()
        return try result.get()
    }

    private static func run(_ plan: Plan, on loop: any EventLoop) async throws -> Report {
        var channels: [any Channel] = []
        defer { for channel in channels { channel.close(promise: nil) } }
        // Reads begin only with a handler: an HTTP/2 server may be the first to speak.
        let bootstrap = ClientBootstrap(group: loop).channelOption(.autoRead, value: false)
        for _ in 0..<plan.wire.connections {
            channels.append(try await bootstrap.connect(host: "127.0.0.1", port: plan.port).get())
        }
        let opened = channels
        return try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Report, any Error>) in
            loop.execute {
                EdgeLoad(loop: loop, plan: plan) { waiter.resume(with: $0) }.open(opened)
            }
        }
    }

    // MARK: Links

    private func open(_ channels: [any Channel]) {
        loop.assumeIsolated().scheduleTask(in: Self.openingMax) {
            guard self.stage == .opening else { return }
            self.fail("did not accept \(self.plan.wire.name) within 10 s")
        }
        do {
            for channel in channels {
                switch plan.wire {
                case .http1: try add(EdgeHTTP1Link(load: self, opens: plan.opens), channel)
                case .http2: try add(EdgeHTTP2Link(load: self, opens: plan.opens), channel)
                }
            }
        } catch {
            fail("has a connection that cannot be used: \(error)")
        }
    }

    private func add(_ link: some EdgeLink & ChannelHandler, _ channel: any Channel) throws {
        links.append(link)
        try channel.pipeline.syncOperations.addHandler(link)
        try channel.syncOptions?.setOption(.autoRead, value: true)
    }

    /// Counts a usable link; the rush begins when all are usable.
    func linkIsReady() {
        ready += 1
        guard stage == .opening, ready == plan.wire.connections else { return }
        stage = .running
        cpuBefore = ProcessMetrics.cpuSecondsOfThisThread()
        begin = .now()
        schedule()
    }

    /// Notes the end of a link; the others go on, and the report counts the lost requests.
    func linkEnded(_ reason: String) {
        if stage == .opening { fail("closed a connection of \(plan.wire.name) at its beginning: \(reason)") }
    }

    /// Notes that a link has something to send; called once before each flush.
    func needsFlush(_ link: any EdgeLink) { unflushed.append(link) }

    /// Records the answer to a request.
    func answered(_ number: Int, status: Int, at now: NIODeadline) {
        guard stage == .running else { return }
        let waited = (now - begin).nanoseconds - plan.schedule.instant(of: number)
        report.add(status: status, microseconds: UInt32(clamping: waited / 1000))
        settle()
    }

    /// Records that a request will not be answered.
    func lost() {
        guard stage == .running else { return }
        settle()
    }

    private func settle() {
        settled += 1
        if settled == plan.schedule.total { finish() }
    }

    // MARK: Time

    private func schedule() {
        guard stage == .running else { return }
        loop.assumeIsolated().scheduleTask(in: Self.tick) {
            self.send()
            self.schedule()
        }
    }

    private func send() {
        let (now, total) = (NIODeadline.now(), plan.schedule.total)
        let due = plan.schedule.due(after: (now - begin).nanoseconds)
        while sent < due, stage == .running {
            links[sent / plan.wire.inRow % links.count].send(sent)
            sent += 1
        }
        swap(&unflushed, &spareUnflushed)
        for link in spareUnflushed { link.flush() }
        spareUnflushed.removeAll(keepingCapacity: true)
        let end = begin + .nanoseconds(plan.schedule.instant(of: total)) + Self.timeout
        if stage == .running, now > end { finish() }
    }

    // MARK: The end

    private func finish() {
        report.cpuSeconds = ProcessMetrics.cpuSecondsOfThisThread() - cpuBefore
        report.unanswered = plan.schedule.total - report.latencies.count
        report.close()
        end(.success(report))
    }

    private func fail(_ reason: String) {
        guard stage == .opening else { return }
        end(.failure(CommandFailure(.failed, "the server on port \(plan.port) \(reason)")))
    }

    private func end(_ result: Result<Report, any Error>) {
        stage = .over
        // The links hold this object.
        links = []
        unflushed = []
        done(result)
    }
}
