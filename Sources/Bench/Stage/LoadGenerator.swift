import Campaigns
import Foundation
import Operations
import PushProviders

/// The header fields and body that both senders send: everything that h2load can be given.
struct BenchRequest: Sendable {
    /// In the order of the request, without pseudo-header fields.
    var headers: [(name: String, value: String)]
    var body: [UInt8]
    /// The path of all requests; nil where each device has its own.
    var path: String?

    /// The request of `TransportBench`.
    static let transport = BenchRequest(
        headers: [
            ("apns-topic", "com.example.news"), ("apns-push-type", "alert"), ("apns-priority", "10"),
            ("apns-expiration", "1790000000"), ("apns-collapse-id", "derby-score"),
            ("apns-id", "00000000-52a1-8c3e-9b7d-e41f6a08c2d5"),
            ("authorization", "bearer " + String(repeating: "x", count: 193)),
        ],
        body: [UInt8](repeating: UInt8(ascii: "a"), count: 200)
    )

    /// Returns a worker's request for a part of a campaign to the device with a token; the id is arbitrary.
    static func of(_ requests: PreparedRequests, token: [UInt8]) -> BenchRequest {
        var headers: [(name: String, value: String)] = []
        for header in requests.headers {
            let name = String(decoding: header.name, as: UTF8.self)
            switch header.value {
            case .path, .token: continue
            case .id: headers.append((name, "00000000-52a1-8c3e-9b7d-e41f6a08c2d5"))
            case .constant(let value):
                if !name.hasPrefix(":") { headers.append((name, String(decoding: value, as: UTF8.self))) }
            }
        }
        guard requests.endsWithBody else { return BenchRequest(headers: headers, body: requests.body) }
        var tail = [UInt8](repeating: 0, count: requests.tail(tokenBytes: token.count))
        tail.withUnsafeMutableBytes { room in token.withUnsafeBytes { requests.writeTail(room, token: $0) } }
        return BenchRequest(
            headers: headers,
            body: requests.body + tail,
            path: String(decoding: requests.path, as: UTF8.self)
        )
    }
}

/// Runs `h2load` against the simulator: one connection with 1000 streams, its best case.
struct LoadGenerator: Sendable {
    private let program: String
    private let request: BenchRequest
    private let folder: String
    private let peer: Peer
    private let stage: BenchStage
    /// The CPU of a run before its first request: process, TLS, handshake.
    private let startSeconds: Double

    private var bodyFile: String { folder + "/h2load.body" }
    private var pathsFile: String { folder + "/h2load.paths" }

    private static let paths = 500

    /// Writes h2load's files, and measures the cost of starting it.
    init(_ request: BenchRequest, folder: String, peer: Peer, stage: BenchStage) async throws {
        program = try BenchTools.h2load()
        self.request = request
        self.folder = folder
        self.peer = peer
        self.stage = stage
        var tokens = MadeUpTokens()
        let urls = (0..<Self.paths).map { _ in Self.url(peer, request, &tokens) + "\n" }.joined()
        let files = [(folder + "/h2load.body", Data(request.body)), (folder + "/h2load.paths", Data(urls.utf8))]
        for (path, data) in files where !FileManager.default.createFile(atPath: path, contents: data) {
            throw CommandFailure(.failed, "the file \(path) cannot be written")
        }
        let arguments = Self.arguments(request, body: folder + "/h2load.body")
        let url = Self.url(peer, request, &tokens)
        let before = ProcessMetrics.cpuSecondsOfEndedChildren()
        let once = [program] + arguments + ["-n", "1", "-m", "1", url]
        _ = try await stage.processes.run("h2load", stage.cores.command(once, on: .sender))
        startSeconds = ProcessMetrics.cpuSecondsOfEndedChildren() - before
    }

    private static func arguments(_ request: BenchRequest, body: String) -> [String] {
        ["-c", "1", "-t", "1", "-d", body] + request.headers.flatMap { ["-H", "\($0.name): \($0.value)"] }
    }

    private static func url(_ peer: Peer, _ request: BenchRequest, _ tokens: inout MadeUpTokens) -> String {
        peer.endpoint + (request.path ?? "/3/device/\(tokens.apns())")
    }

    /// Runs h2load once and subtracts the cost of its start; every request must succeed.
    func run(requests: Int, distinctPaths: Bool) async throws -> BenchRun {
        var tokens = MadeUpTokens()
        let target = distinctPaths ? ["-i", pathsFile] : [Self.url(peer, request, &tokens)]
        let arguments = Self.arguments(request, body: bodyFile) + ["-n", "\(requests)", "-m", "1000"] + target
        let peerBefore = try peer.cpuSeconds()
        let before = ProcessMetrics.cpuSecondsOfEndedChildren()
        let command = stage.cores.command([program] + arguments, on: .sender)
        let text = try await stage.processes.run("h2load", command)
        let cpu = ProcessMetrics.cpuSecondsOfEndedChildren() - before
        let peerCPU = try peer.cpuSeconds() - peerBefore
        guard let output = H2LoadOutput(text), output.total == requests, output.succeeded == requests else {
            throw CommandFailure(.failed, "h2load did not get \(requests) answers; see \(stage.folder.path)/h2load.log")
        }
        return BenchRun(
            requests: requests,
            cpuSeconds: max(0, cpu - startSeconds),
            rate: output.rate,
            peerMicroseconds: peerCPU * 1e6 / Double(requests)
        )
    }
}
