import Glibc
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import TLS

/// A TLS server that sends arbitrary bytes instead of HTTP/2, as a test's script decides.
final class ScriptedPeer: Sendable {
    /// Called for every frame of the client; writes through the connection.
    typealias Script = @Sendable (ScriptedConnection, Frame) -> Void

    /// One HTTP/2 frame (RFC 9113, 4.1).
    struct Frame: Sendable {
        enum Kind: UInt8, Sendable {
            case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
        }

        var type: Kind
        var flags: UInt8 = 0
        var stream: UInt32 = 0
        var payload: [UInt8] = []
        /// The number of the connection that it came on, from 1.
        var connection = 0

        static let acknowledgement: UInt8 = 1
        static let endStream: UInt8 = 1
        static let endHeaders: UInt8 = 4
    }

    let port: Int
    private let channel: any Channel
    private let record: Record

    /// The input of all connections.
    struct Record: Sendable {
        let frames = NIOLockedValueBox<[Frame]>([])
        let plaintextBytes = NIOLockedValueBox(0)
        let connections = NIOLockedValueBox(0)
    }

    private init(port: Int, channel: any Channel, record: Record) {
        self.port = port
        self.channel = channel
        self.record = record
    }

    /// The number of bytes received through TLS.
    var plaintextBytes: Int { self.record.plaintextBytes.withLockedValue { $0 } }
    /// The number of TCP connections accepted.
    var connections: Int { self.record.connections.withLockedValue { $0 } }

    /// Returns the received frames of one kind.
    func frames(of type: Frame.Kind) -> [Frame] {
        self.record.frames.withLockedValue { $0.filter { $0.type == type } }
    }

    static func start(
        on group: any EventLoopGroup,
        tls: TLSServerContext,
        script: @escaping Script
    ) async throws -> ScriptedPeer {
        let record = Record()
        let channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let number = record.connections.withLockedValue { count in
                        count += 1
                        return count
                    }
                    let session = try TLSSession(server: tls)
                    let connection = ScriptedConnection(number: number, tls: session, record: record, script: script)
                    try channel.pipeline.syncOperations.addHandler(connection)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return ScriptedPeer(port: channel.localAddress?.port ?? 0, channel: channel, record: record)
    }

    func stop() async throws { try await self.channel.close() }
}

/// One connection of the scripted peer.
///
/// Confined to its loop.
final class ScriptedConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The connection's number, from 1, in the order of acceptance.
    let number: Int
    private let tls: TLSSession
    private let record: ScriptedPeer.Record
    private let script: ScriptedPeer.Script
    private var context: ChannelHandlerContext?
    /// Plaintext that is not a whole frame yet; the client's preface comes first.
    private var rest: [UInt8] = []
    private var isAfterPreface = false
    private var ticking: RepeatedTask?

    private static let prefaceBytes = 24

    init(number: Int, tls: TLSSession, record: ScriptedPeer.Record, script: @escaping ScriptedPeer.Script) {
        self.number = number
        self.tls = tls
        self.record = record
        self.script = script
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.ticking?.cancel()
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = Self.unwrapInboundIn(data)
        do {
            try buffer.withUnsafeReadableBytes { bytes in
                try self.tls.receive(bytes) { plaintext in
                    self.record.plaintextBytes.withLockedValue { $0 += plaintext.count }
                    self.rest += plaintext
                }
            }
        } catch {
            self.flush()
            return context.close(promise: nil)
        }
        self.takeFrames()
        self.flush()
        if self.tls.state == .closed { context.close(promise: nil) }
    }

    private func takeFrames() {
        if !self.isAfterPreface && self.rest.count >= Self.prefaceBytes {
            self.rest.removeFirst(Self.prefaceBytes)
            self.isAfterPreface = true
        }
        while self.isAfterPreface, self.rest.count >= 9 {
            let length = Int(self.rest[0]) << 16 | Int(self.rest[1]) << 8 | Int(self.rest[2])
            guard self.rest.count >= 9 + length, let type = ScriptedPeer.Frame.Kind(rawValue: self.rest[3]) else {
                return
            }
            let frame = ScriptedPeer.Frame(
                type: type,
                flags: self.rest[4],
                stream: self.rest[5..<9].reduce(0) { $0 << 8 | UInt32($1) },
                payload: Array(self.rest[9..<(9 + length)]),
                connection: self.number
            )
            self.rest.removeFirst(9 + length)
            self.record.frames.withLockedValue { $0.append(frame) }
            let isAcknowledgement = frame.type == .settings && frame.flags & ScriptedPeer.Frame.acknowledgement != 0
            if !isAcknowledgement { self.script(self, frame) }
        }
    }

    // MARK: Actions of a script

    /// Writes any bytes, encrypted.
    func write(_ bytes: [UInt8]) {
        guard self.tls.state == .established else { return }
        // A client that is gone does not matter.
        for start in stride(from: 0, to: bytes.count, by: 15_000) {
            try? bytes[start..<min(start + 15_000, bytes.count)].withUnsafeBytes { try self.tls.write($0) }
        }
        self.flush()
    }

    func write(_ frame: ScriptedPeer.Frame) { self.write(frame.bytes) }

    /// Writes repeatedly until the connection ends.
    func keepWriting(every time: TimeAmount, _ bytes: [UInt8]) {
        guard self.ticking == nil, let context = self.context else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        self.ticking = context.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: time) { _ in
            bound.value.write(bytes)
        }
    }

    /// Ends the connection with RST instead of FIN.
    func reset() {
        guard let channel = self.context?.channel, let socket = channel as? any SocketOptionProvider else { return }
        socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).assumeIsolated().whenComplete { _ in
            channel.close(promise: nil)
        }
    }

    private func flush() {
        guard let context = self.context else { return }
        var out = ByteBuffer()
        out.writeWithUnsafeMutableBytes(minimumWritableBytes: self.tls.pendingBytes) { self.tls.drain(into: $0) }
        if out.readableBytes > 0 { context.writeAndFlush(Self.wrapOutboundOut(out), promise: nil) }
    }
}

extension ScriptedPeer.Frame {
    /// The frame's bytes on the wire.
    var bytes: [UInt8] {
        let length = self.payload.count
        let head = [
            UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), self.type.rawValue, self.flags,
        ]
        return head + Self.big(self.stream) + self.payload
    }

    private static func big(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// Returns SETTINGS with SETTINGS_MAX_CONCURRENT_STREAMS.
    static func settings(maxStreams: UInt32) -> Self { Self(type: .settings, payload: [0, 3] + Self.big(maxStreams)) }

    /// Returns an answer with only a status.
    static func status(_ status: Int, stream: UInt32, ends: Bool = true) -> Self {
        // A literal without indexing (RFC 7541, 6.2.2) whose name is entry 8 of the static table, ":status".
        let block: [UInt8] = [0x08, 3] + Array("\(status)".utf8)
        let flags = Self.endHeaders | (ends ? Self.endStream : 0)
        return Self(type: .headers, flags: flags, stream: stream, payload: block)
    }

    static func data(_ text: String, stream: UInt32) -> Self {
        Self(type: .data, stream: stream, payload: Array(text.utf8))
    }

    static let ping = Self(type: .ping, payload: Array(1...8))
}
