import Foundation
import NIOCore
import NIOPosix

/// Phones that open an app after a push: requests at instants of a schedule, over connections that stay open.
///
/// Cheap on purpose: the generator shares the machine with what it measures. A request is due at its instant whether or
/// not the one before is answered, so that a server that stalls is seen to. Confined to one loop.
final class EdgeLoad {
    /// What came of it.
    struct Report: Sendable {
        /// From a request's instant to its answer, in microseconds, in order of size.
        var latencies: [UInt32]
        /// Answers by status.
        var statuses: [Int: Int]
        /// Requests that were never answered.
        var unanswered: Int
        /// From the first request's instant to the last one's.
        var seconds: Double

        /// The smallest latency in milliseconds that a share does not exceed.
        func percentile(_ share: Double) -> Double? {
            guard !latencies.isEmpty else { return nil }
            let rank = Int((share * Double(latencies.count)).rounded(.up))
            return Double(latencies[min(latencies.count - 1, max(0, rank - 1))]) / 1000
        }
    }

    private static let tick = TimeAmount.milliseconds(1)
    private static let patience = TimeAmount.seconds(30)

    private let loop: any EventLoop
    private let total: Int
    private let perSecond: Int
    private let request: (_ number: Int, _ buffer: inout ByteBuffer) -> Void
    private let done: (Report) -> Void
    private var connections: [EdgeConnection] = []
    private var begin = NIODeadline.now()
    private var sent = 0
    private var answered = 0
    private var latencies: [UInt32] = []
    private var statuses: [Int: Int] = [:]
    private var isOver = false

    private init(
        loop: any EventLoop,
        total: Int,
        perSecond: Int,
        request: @escaping (Int, inout ByteBuffer) -> Void,
        done: @escaping (Report) -> Void
    ) {
        self.loop = loop
        self.total = total
        self.perSecond = perSecond
        self.request = request
        self.done = done
        latencies.reserveCapacity(total)
    }

    /// Sends `total` requests to a port of 127.0.0.1, so many a second, and returns when the last one is answered.
    static func run(
        port: Int,
        connections: Int,
        total: Int,
        perSecond: Int,
        request: @escaping @Sendable (_ number: Int, _ buffer: inout ByteBuffer) -> Void
    ) async throws -> Report {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        var channels: [any Channel] = []
        for _ in 0..<connections {
            channels.append(try await ClientBootstrap(group: loop).connect(host: "127.0.0.1", port: port).get())
        }
        let opened = channels
        let report = await withCheckedContinuation { (waiter: CheckedContinuation<Report, Never>) in
            loop.execute {
                let load = EdgeLoad(loop: loop, total: total, perSecond: perSecond, request: request) {
                    waiter.resume(returning: $0)
                }
                load.start(opened)
            }
        }
        for channel in channels { channel.close(promise: nil) }
        try await group.shutdownGracefully()
        return report
    }

    private func start(_ channels: [any Channel]) {
        connections = channels.map { channel in
            let connection = EdgeConnection(channel) { [self] due, status in
                statuses[status, default: 0] += 1
                answered += 1
                latencies.append(UInt32(clamping: (NIODeadline.now() - due).nanoseconds / 1000))
                if answered == total { finish() }
            }
            // A channel that was closed meanwhile leaves its requests unanswered, and the report says so.
            try? channel.pipeline.syncOperations.addHandler(connection)
            return connection
        }
        begin = .now()
        schedule()
    }

    private func schedule() {
        guard !isOver else { return }
        loop.assumeIsolated().scheduleTask(in: Self.tick) {
            self.send()
            self.schedule()
        }
    }

    private func send() {
        let now = NIODeadline.now()
        let due = min(total, Int((now - begin).nanoseconds * Int64(perSecond) / 1_000_000_000))
        while sent < due {
            let instant = begin + .nanoseconds(Int64(sent) * 1_000_000_000 / Int64(perSecond))
            connections[sent % connections.count].send(due: instant) { request(sent, &$0) }
            sent += 1
        }
        for connection in connections { connection.flush() }
        if sent == total, now - begin > .seconds(Int64(total / perSecond)) + Self.patience { finish() }
    }

    private func finish() {
        guard !isOver else { return }
        isOver = true
        latencies.sort()
        done(
            Report(
                latencies: latencies,
                statuses: statuses,
                unanswered: total - answered,
                seconds: Double(total) / Double(perSecond)
            )
        )
    }
}

/// One connection, on which answers come in the order of the requests.
private final class EdgeConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let channel: any Channel
    private let answered: (_ due: NIODeadline, _ status: Int) -> Void
    private var waiting = CircularBuffer<NIODeadline>()
    private var unread = ByteBuffer()
    private var unwritten: ByteBuffer

    init(_ channel: any Channel, answered: @escaping (NIODeadline, Int) -> Void) {
        self.channel = channel
        self.answered = answered
        unwritten = channel.allocator.buffer(capacity: 2048)
    }

    func send(due: NIODeadline, _ write: (inout ByteBuffer) -> Void) {
        waiting.append(due)
        write(&unwritten)
    }

    func flush() {
        guard unwritten.readableBytes > 0 else { return }
        channel.writeAndFlush(unwritten, promise: nil)
        unwritten = channel.allocator.buffer(capacity: 2048)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        unread.writeBuffer(&bytes)
        while let status = next() {
            guard let due = waiting.popFirst() else { return context.close(promise: nil) }
            answered(due, status)
        }
        if unread.readableBytes == 0 { unread.clear() }
    }

    /// The status of the next whole answer, which is taken out; nil when it is not whole yet.
    private func next() -> Int? {
        let found = unread.withUnsafeReadableBytes { bytes -> (status: Int, length: Int)? in
            guard let head = Self.end(of: bytes), head > 12 else { return nil }
            let status = bytes[9..<12].reduce(0) { $0 * 10 + Int($1 & 15) }
            let length = head + Self.contentLength(UnsafeRawBufferPointer(rebasing: bytes[..<head]))
            return length <= bytes.count ? (status, length) : nil
        }
        guard let found else { return nil }
        unread.moveReaderIndex(forwardBy: found.length)
        return found.status
    }

    private static func end(of bytes: UnsafeRawBufferPointer) -> Int? {
        find([13, 10, 13, 10], in: bytes).map { $0 + 4 }
    }

    private static func contentLength(_ head: UnsafeRawBufferPointer) -> Int {
        // Whatever the case of its first letters.
        let name = Array("ontent-Length: ".utf8)
        guard let place = find(name, in: head) ?? find(Array("ontent-length: ".utf8), in: head) else { return 0 }
        return head[(place + name.count)...].prefix { (48...57).contains($0) }.reduce(0) { $0 * 10 + Int($1 & 15) }
    }

    private static func find(_ part: [UInt8], in bytes: UnsafeRawBufferPointer) -> Int? {
        var place = 0
        while place + part.count <= bytes.count {
            if bytes[place] == part[0], bytes[place..<place + part.count].elementsEqual(part) { return place }
            place += 1
        }
        return nil
    }
}
