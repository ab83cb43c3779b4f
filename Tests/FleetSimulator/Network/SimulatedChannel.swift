import NIOCore

/// The client's end of a connection in memory, as a NIO channel.
///
/// Safety: belongs to its loop, which runs on the process's only thread.
final class SimulatedChannel: Channel, ChannelCore, @unchecked Sendable {
    let loop: SimulatedLoop
    private let connection: SimulatedConnection
    private let closed: EventLoopPromise<Void>
    private var createdPipeline: ChannelPipeline?
    private var unflushed: [(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)] = []
    private var unread: [ByteBuffer] = []
    private var isReading = true
    private var isOpen = true
    private(set) var isActive = false
    private(set) var isWritable = true

    let allocator = ByteBufferAllocator()
    let parent: (any Channel)? = nil
    let localAddress: SocketAddress? = nil
    let remoteAddress: SocketAddress?

    /// The unsent bytes above which the channel takes no more, and below which it does again.
    private static let unsentMax = 512 << 10
    private static let unsentMin = 128 << 10

    init(_ connection: SimulatedConnection, loop: SimulatedLoop, to address: SocketAddress) {
        self.connection = connection
        self.loop = loop
        remoteAddress = address
        closed = loop.makePromise(of: Void.self)
    }

    var eventLoop: any EventLoop { loop }

    var closeFuture: EventLoopFuture<Void> { closed.futureResult }

    var _channelCore: any ChannelCore { self }

    var pipeline: ChannelPipeline {
        if let createdPipeline { return createdPipeline }
        let pipeline = ChannelPipeline(channel: self)
        createdPipeline = pipeline
        return pipeline
    }

    // MARK: - Options

    func setOption<Option: ChannelOption>(_ option: Option, value: Option.Value) -> EventLoopFuture<Void> {
        set(option, value)
        return loop.makeSucceededVoidFuture()
    }

    func getOption<Option: ChannelOption>(_ option: Option) -> EventLoopFuture<Option.Value> {
        loop.makeFailedFuture(ChannelError.operationUnsupported)
    }

    fileprivate func set<Option: ChannelOption>(_ option: Option, _ value: Option.Value) {
        guard option is ChannelOptions.Types.AutoReadOption, let isReading = value as? Bool else { return }
        self.isReading = isReading
        if isReading { loop.execute { self.read0() } }
    }

    var syncOptions: (any NIOSynchronousChannelOptions)? { Options(channel: self) }

    /// The options as the loop's own code sets them.
    private struct Options: NIOSynchronousChannelOptions {
        let channel: SimulatedChannel

        func setOption<Option: ChannelOption>(_ option: Option, value: Option.Value) throws {
            channel.set(option, value)
        }

        func getOption<Option: ChannelOption>(_ option: Option) throws -> Option.Value {
            throw ChannelError.operationUnsupported
        }
    }

    // MARK: - The network's side

    /// Makes the channel active after its connection was accepted.
    func activate(_ promise: EventLoopPromise<any Channel>) {
        pipeline.syncOperations.fireChannelRegistered()
        isActive = true
        promise.succeed(self)
        pipeline.syncOperations.fireChannelActive()
    }

    /// Ends a channel that never became active.
    func giveUp(_ error: any Error, _ promise: EventLoopPromise<any Channel>) {
        isOpen = false
        promise.fail(error)
        finish()
    }

    func received(_ bytes: [UInt8]) {
        guard isOpen else { return }
        unread.append(ByteBuffer(bytes: bytes))
        read0()
    }

    /// Ends the channel because the peer closed, or with an error because the connection broke.
    func ended(_ error: (any Error)?) {
        guard isOpen else { return }
        if let error { pipeline.syncOperations.fireErrorCaught(error) }
        close0(error: error ?? ChannelError.eof, mode: .all, promise: nil)
    }

    /// Notes that the network has taken bytes.
    func drained() {
        if !isWritable, connection.unsentBytes < Self.unsentMin { setWritable(true) }
    }

    private func setWritable(_ isWritable: Bool) {
        self.isWritable = isWritable
        pipeline.syncOperations.fireChannelWritabilityChanged()
    }

    // MARK: - The pipeline's side

    func localAddress0() throws -> SocketAddress { throw ChannelError.operationUnsupported }

    func remoteAddress0() throws -> SocketAddress {
        guard let remoteAddress else { throw ChannelError.operationUnsupported }
        return remoteAddress
    }

    func register0(promise: EventLoopPromise<Void>?) { promise?.succeed() }

    func registerAlreadyConfigured0(promise: EventLoopPromise<Void>?) { promise?.succeed() }

    func bind0(to: SocketAddress, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }

    func connect0(to: SocketAddress, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }

    func write0(_ data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isOpen else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        unflushed.append((unwrapData(data, as: ByteBuffer.self), promise))
    }

    func flush0() {
        guard isOpen else { return }
        let writes = unflushed
        unflushed = []
        let bytes = writes.flatMap { Array($0.bytes.readableBytesView) }
        if !bytes.isEmpty { connection.send(bytes, from: .client) }
        for write in writes { write.promise?.succeed() }
        if isWritable, connection.unsentBytes > Self.unsentMax { setWritable(false) }
    }

    func read0() {
        guard isReading, isActive, isOpen, !unread.isEmpty else { return }
        let buffers = unread
        unread = []
        for buffer in buffers where isOpen { pipeline.syncOperations.fireChannelRead(NIOAny(buffer)) }
        if isOpen { pipeline.syncOperations.fireChannelReadComplete() }
    }

    func close0(error: any Error, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard isOpen else {
            promise?.fail(ChannelError.alreadyClosed)
            return
        }
        let wasActive = isActive
        isOpen = false
        isActive = false
        connection.close(from: .client)
        for write in unflushed { write.promise?.fail(error) }
        unflushed = []
        promise?.succeed()
        if wasActive {
            pipeline.syncOperations.fireChannelInactive()
            pipeline.syncOperations.fireChannelUnregistered()
        }
        finish()
    }

    /// Takes the handlers away in a later task, as NIO does.
    private func finish() {
        loop.execute {
            self.removeHandlers(pipeline: self.pipeline)
            self.closed.succeed()
        }
    }

    func triggerUserOutboundEvent0(_ event: Any, promise: EventLoopPromise<Void>?) { promise?.succeed() }

    func channelRead0(_ data: NIOAny) {}

    func errorCaught0(error: any Error) {}
}
