import Foundation
import NIOCore
import NIOPosix
import PrivateServers
import Servers
import Synchronization
import Testing

@testable import DeviceEdge

/// The built program as a server whose edge has its own address, for attacks from outside.
struct BuiltServer {
    let process: FanfareProcess
    let folder: String
    let port: Int
    let edgePort: Int

    /// Runs a test on a server with the apps of ``EdgeFixture``; `settings` are further configuration keys by their
    /// environment names.
    static func with(
        settings: [String: String] = [:],
        descriptors: Int? = nil,
        isEdgeThere: Bool = true,
        prepare: (String) throws -> Void = { _ in },
        _ body: (BuiltServer) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fanfare-edge-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try EdgeFixture.write(folder)
        try prepare(folder)
        let ports = try LoopbackPorts.free(2)
        let process = try FanfareProcess(
            ["server"],
            folder: folder,
            environment: [
                "FANFARE_AMQP_URL": PrivateServer.noBroker, "FANFARE_SERVER_LISTEN": "127.0.0.1:\(ports[0])",
                "FANFARE_SERVER_EDGE_LISTEN": "127.0.0.1:\(ports[1])", "FANFARE_APPS_FILE": folder + "/apps.yaml",
                "FANFARE_SERVER_EDGE_REQUESTS_PER_SECOND": "100000",
            ].merging(settings) { $1 },
            descriptors: descriptors
        )
        defer { process.kill() }
        let server = BuiltServer(process: process, folder: folder, port: ports[0], edgePort: ports[1])
        try await eventually("the server answers") {
            guard process.isRunning else { throw FanfareProcess.Failure(process.errors) }
            let text = request("GET", "/livez")
            return (try? await server.say(text, port: isEdgeThere ? ports[1] : ports[0]).first == 200) ?? false
        }
        try await body(server)
    }

    /// Returns kilobytes of memory: those in use, or the peak (proc(5)).
    func memory(_ name: String = "VmHWM") throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process.pid)/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return try #require(line?.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    }

    /// Sends text on its own connection and returns the statuses, until the server closes or `wanted` have come;
    /// `hangsUp`: the client's side is closed behind the text.
    func say(
        _ text: String,
        port: Int? = nil,
        from: String? = nil,
        wanted: Int = 1,
        hangsUp: Bool = false
    ) async throws -> [Int] {
        try await RawText.say(Array(text.utf8), to: port ?? edgePort, from: from, wanted: wanted, hangsUp: hangsUp)
    }

    /// Returns a request in one piece, which closes its connection.
    static func request(
        _ method: String = "GET",
        _ path: String,
        _ fields: [String] = [],
        host: String? = "edge",
        body: String = ""
    ) -> String {
        var lines = ["\(method) \(path) HTTP/1.1"]
        if let host { lines.append("Host: \(host)") }
        if !body.isEmpty { lines += ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"] }
        return (lines + fields + ["Connection: close", "", body]).joined(separator: "\r\n")
    }

    /// Registers an installation; returns the status.
    func register(_ id: String, token: Int, fields: [String] = [], from: String? = nil) async throws -> Int? {
        let text = Self.request(
            "PUT",
            "/v1/devices/\(id)",
            ["Authorization: Bearer \(EdgeFixture.key("news"))"] + fields,
            body: #"{"token": "\#(EdgeFixture.token(token))"}"#
        )
        return try await say(text, from: from).first
    }

    /// Returns a value of the server's metrics.
    func metric(_ name: String) async throws -> Int {
        let text = try await curl(["http://127.0.0.1:\(port)/metrics"])
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return try #require(line?.split(separator: " ").last.flatMap { Int($0) }, "\(name) in \(text.suffix(2000))")
    }

    /// Registers an installation and stores a content of so many bytes under `large`; returns the device's secret.
    func deviceWithContent(bytes: Int) async throws -> String {
        let body = folder + "/content"
        try Data(repeating: UInt8(ascii: "x"), count: bytes).write(to: URL(fileURLWithPath: body))
        _ = try await curl([
            "-f", "-X", "PUT", "-H", "Content-Type: text/plain", "--data-binary", "@" + body,
            "http://127.0.0.1:\(port)/v1/apps/news/contents/large",
        ])
        let token = folder + "/token"
        try Data(#"{"token": "\#(EdgeFixture.token(1))"}"#.utf8).write(to: URL(fileURLWithPath: token))
        let text = try await curl([
            "-f", "-X", "PUT", "-H", "Content-Type: application/json", "--data-binary", "@" + token,
            "-H", "Authorization: Bearer " + EdgeFixture.key("news"),
            "http://127.0.0.1:\(edgePort)/v1/devices/ana",
        ])
        let secret = text.split(separator: "\"").first { EdgeSecretForm.fits($0) }
        return String(try #require(secret, "\(text)"))
    }

    private func curl(_ arguments: [String]) async throws -> String {
        try await aside {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
            process.arguments = ["-sS"] + arguments
            process.standardInput = FileHandle.nullDevice
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let data = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0, "\(arguments)")
            return String(decoding: data, as: UTF8.self)
        }
    }
}

/// The form of a device's secret, as seen from outside.
private enum EdgeSecretForm {
    static func fits(_ text: Substring) -> Bool {
        text.utf8.count == 43 && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
    }
}

/// An HTTP/1.1 connection with arbitrary bytes, and the statuses that come back.
enum RawText {
    /// Sends bytes; `from` is the address of this host that the connection comes from.
    static func say(
        _ bytes: [UInt8],
        to port: Int,
        from: String? = nil,
        wanted: Int = 1,
        hangsUp: Bool = false
    ) async throws -> [Int] {
        let (statuses, continuation) = AsyncStream.makeStream(of: Int.self)
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Reader(continuation))
                }
            }
        if let from { bootstrap = bootstrap.bind(to: try SocketAddress(ipAddress: from, port: 0)) }
        let channel = try await bootstrap.connect(host: "127.0.0.1", port: port).get()
        // Fails only when the server has closed meanwhile, which its output shows.
        try? await channel.writeAndFlush(ByteBuffer(bytes: bytes))
        if hangsUp { try? await channel.close(mode: .output) }
        var heard: [Int] = []
        for await status in statuses {
            heard.append(status)
            if heard.count == wanted { break }
        }
        try? await channel.close()
        return heard
    }

    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let continuation: AsyncStream<Int>.Continuation
        private var unread: [UInt8] = []

        init(_ continuation: AsyncStream<Int>.Continuation) { self.continuation = continuation }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            unread += Array(unwrapInboundIn(data).readableBytesView)
            let mark = Array("HTTP/1.1 ".utf8)
            while let start = unread.firstRange(of: mark), unread.count >= start.upperBound + 3 {
                let digits = unread[start.upperBound..<start.upperBound + 3]
                if let status = Int(String(decoding: digits, as: UTF8.self)) { continuation.yield(status) }
                unread.removeFirst(start.upperBound + 3)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        func channelInactive(context: ChannelHandlerContext) { continuation.finish() }
    }
}

/// Frames made by hand, as a stranger might (RFC 9113, RFC 7541).
enum HostileFrames {
    static let goAway = RawFrames.goAway
    static let endStream: UInt8 = 1
    static let endHeaders: UInt8 = 4

    /// Returns a connection's beginning, with settings.
    static func hello(_ settings: [RawFrames.Frame] = [.init(type: RawFrames.settings)]) -> [UInt8] {
        RawFrames.preface + settings.flatMap(RawFrames.bytes)
    }

    /// Returns a request's HEADERS; `more` follows the fields in the block, and `ends` means that there is no body.
    static func headers(
        _ stream: UInt32,
        _ fields: [(String, String)],
        more: [UInt8] = [],
        ends: Bool
    ) -> [UInt8] {
        var frame = RawFrames.request(stream, fields)
        frame.payload += more
        frame.flags = endHeaders | (ends ? endStream : 0)
        return RawFrames.bytes(frame)
    }

    static func request(_ method: String, _ path: String, _ key: String?) -> [(String, String)] {
        [(":method", method), (":scheme", "http"), (":authority", "edge"), (":path", path)]
            + (key.map { [("authorization", "Bearer " + $0)] } ?? [])
    }

    static func data(_ stream: UInt32, _ bytes: [UInt8], ends: Bool = false) -> [UInt8] {
        RawFrames.bytes(.init(type: 0, flags: ends ? endStream : 0, stream: stream, payload: bytes))
    }

    static func windowUpdate(_ stream: UInt32, _ bytes: UInt32) -> [UInt8] {
        RawFrames.bytes(.init(type: 8, stream: stream, payload: withUnsafeBytes(of: bytes.bigEndian, Array.init)))
    }

    /// A field of 4,000 bytes that is added to the table, and the byte that refers to it.
    static let entry: [UInt8] = [0x40, 1, UInt8(ascii: "a"), 0x7F, 0xA1, 0x1E] + Array(repeating: 0x62, count: 4000)
    static let reference: UInt8 = 0xBE

    /// A key in the form of a device's secret that belongs to nobody.
    static let guess = String(repeating: "k", count: 43)
}

extension HostileFrames {
    static let pingType: UInt8 = 6
    /// PING: its answer shows that the server has read everything before it.
    static let ping = RawFrames.bytes(.init(type: pingType, payload: Array(repeating: 7, count: 8)))
}

/// A connection that sends given bytes and reads nothing.
struct SilentConnection {
    private let channel: any Channel
    private let end: End

    init(to port: Int, from: String? = nil) async throws {
        let end = End()
        self.end = end
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: false)
            .channelOption(.socketOption(.so_rcvbuf), value: 4096)
            .channelInitializer { channel in
                channel.closeFuture.whenComplete { _ in end.come() }
                return channel.eventLoop.makeSucceededVoidFuture()
            }
        if let from { bootstrap = bootstrap.bind(to: try SocketAddress(ipAddress: from, port: 0)) }
        channel = try await bootstrap.connect(host: "127.0.0.1", port: port).get()
    }

    func send(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

    func close() async { try? await channel.close() }

    /// True if the server has closed it.
    var isOver: Bool { end.isThere }

    private final class End: Sendable {
        private let state = Mutex(false)
        var isThere: Bool { state.withLock { $0 } }
        func come() { state.withLock { $0 = true } }
    }
}
