package import Campaigns
import Delivery
import DeviceEdge
import Foundation
import HTTPServer
package import Logging
import Servers
package import Settings
package import Store
import Testing
package import WebServing

/// A test's own server on a free port, with a ledger; removed with the test.
package struct PrivateServer {
    package let folder: String
    package let port: Int
    /// The port of the edge when it has its own address.
    package var edgePort: Int?
    /// The port of probes and metrics when they have their own address.
    package var metricsPort: Int?
    /// The HTTP version of requests to the edge.
    package var edgeHTTP = EdgeHTTP.one
    package let ledger: Ledger
    package let server: WebServer

    /// An address where nobody listens: commands and orders work without a broker.
    package static let noBroker = "amqp://127.0.0.1:1"

    /// Runs a test on a server; `settings` are further configuration keys by their environment names, and `prepare`
    /// writes files into its folder.
    package static func with(
        broker: String = noBroker,
        tokens: [AccessToken]? = nil,
        settings: [String: String] = [:],
        logger: Logger? = nil,
        prepare: (String) throws -> Void = { _ in },
        _ body: (PrivateServer) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fanfare-api-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var environment = settings
        environment["FANFARE_AMQP_URL"] = broker
        environment["FANFARE_SERVER_LISTEN"] = settings["FANFARE_SERVER_LISTEN"] ?? "127.0.0.1:0"
        if let tokens {
            environment["FANFARE_SERVER_TOKENS_FILE"] = folder + "/tokens.yaml"
            for token in tokens { try TokensFile.add(token, path: folder + "/tokens.yaml") }
        }
        try prepare(folder)
        let configuration = try ConfigurationSources(environment: environment, workingDirectory: folder).load()
        let server = try WebServer(
            configuration,
            version: "test",
            logger: logger ?? Self.quiet,
            roles: [ServedAPI.self, ServedEdge.self]
        )
        let (ports, continuation) = AsyncStream.makeStream(of: (listener: ListenerName, port: Int).self)
        let running = Task {
            defer { continuation.finish() }
            try await server.run {
                _ = continuation.yield((.main, $0))
            } edgeRunning: {
                _ = continuation.yield((.edge, $0))
            } metricsRunning: {
                _ = continuation.yield((.metrics, $0))
            }
        }
        var awaited: Set<ListenerName> = [.main]
        if configuration.server.edgeListen != nil { awaited.insert(.edge) }
        if configuration.server.metricsListen != nil { awaited.insert(.metrics) }
        var iterator = ports.makeAsyncIterator()
        var listening: [ListenerName: Int] = [:]
        while !awaited.isSubset(of: listening.keys) {
            guard let found = await iterator.next() else {
                try await running.value
                throw LedgerError.failed("the server ended before it listened")
            }
            listening[found.listener] = found.port
        }
        let ledger = try Ledger.open(configuration.store, create: false)
        do {
            try await body(
                PrivateServer(
                    folder: folder,
                    port: listening[.main] ?? 0,
                    edgePort: listening[.edge],
                    metricsPort: listening[.metrics],
                    ledger: ledger,
                    server: server
                )
            )
        } catch {
            running.cancel()
            throw error
        }
        await ledger.close()
        running.cancel()
        _ = await running.result
    }

    private enum ListenerName { case main, edge, metrics }

    private static let quiet: Logger = {
        var logger = Logger(label: "test")
        logger.logLevel = .error
        return logger
    }()

    /// The error for a server that did not answer, or a stream that was refused.
    package struct NoAnswer: Error {
        package let text: String
    }

    /// An answer as received.
    package struct Reply {
        package let status: Int
        /// The header fields by lower-case names.
        package let fields: [String: String]
        package let text: String

        package var json: JSONValue? { JSONReader.read(Array(text.utf8)).value }
        /// The word after `urn:fanfare:problem:`.
        package var problem: String? {
            json?["type"]?.string.map { String($0.dropFirst("urn:fanfare:problem:".count)) }
        }
    }

    /// Sends a request with curl, a client independent of our code.
    package func ask(
        _ method: String,
        _ path: String,
        token: String? = nil,
        headers: [String] = [],
        body: String? = nil,
        type: String? = "application/json",
        atEdge isAtEdge: Bool = false,
        port other: Int? = nil
    ) async throws -> Reply {
        let address = "http://127.0.0.1:\(other ?? (isAtEdge ? edgePort ?? port : port))\(path)"
        var arguments = ["-sS", "-i", "--path-as-is", "-X", method, address]
        if isAtEdge, edgeHTTP == .two { arguments += ["--http2-prior-knowledge"] }
        if method == "HEAD" { arguments += ["--head"] }
        if let token { arguments += ["-H", "Authorization: Bearer \(token)"] }
        for header in headers { arguments += ["-H", header] }
        if let body {
            let file = folder + "/body-\(UUID())"
            try Data(body.utf8).write(to: URL(fileURLWithPath: file))
            arguments += ["--data-binary", "@" + file, "-H", "Content-Type: \(type ?? "")", "-H", "Expect:"]
        }
        let asked = arguments
        return try Self.reply(try await aside { try Self.curl(asked) })
    }

    private static func curl(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    private static func reply(_ text: String) throws -> Reply {
        guard let end = text.range(of: "\r\n\r\n") else { throw NoAnswer(text: text) }
        var lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
        guard let status = Int(lines.removeFirst().split(separator: " ")[1]) else { throw NoAnswer(text: text) }
        let fields = lines.compactMap { line -> (String, String)? in
            let halves = line.split(separator: ":", maxSplits: 1)
            guard halves.count == 2 else { return nil }
            return (halves[0].lowercased(), halves[1].trimmingCharacters(in: .whitespaces))
        }
        return Reply(
            status: status,
            fields: Dictionary(fields, uniquingKeysWith: { $1 }),
            text: String(text[end.upperBound...])
        )
    }
}

/// Tokens for tests: the text is the name with stars.
package enum TestTokens {
    package static func text(_ name: String) -> String { name + "-*-token" }

    package static func token(_ name: String, _ role: String, apps: Set<String>? = nil) -> AccessToken {
        AccessToken(name: name, hash: NewAccessToken.hash(text(name)), role: role, apps: apps)
    }
}

extension PrivateServer {
    /// Accepts a campaign to three devices that ends in an hour, in the ledger without a worker.
    package func accept(_ id: String, app: String = "news", tags: [String] = []) async throws {
        try await accept([Self.campaign(id, app: app, tags: tags)])
    }

    /// Accepts many campaigns in one transaction.
    package func accept(_ campaigns: [NewCampaign]) async throws {
        let accepted = try await ledger.write(.synced) { ledger throws(LedgerError) -> Int in
            var accepted = 0
            for campaign in campaigns {
                if case .accepted = try ledger.accept(campaign, now: WallClock.now().asRead) { accepted += 1 }
            }
            return accepted
        }
        guard accepted == campaigns.count else { throw LedgerError.failed("only \(accepted) were accepted") }
    }

    /// Returns a campaign to three devices that ends in an hour.
    package static func campaign(_ id: String, app: String = "news", tags: [String] = []) -> NewCampaign {
        var builder = ListBuilder()
        for number in 1...3 {
            let token = Array(repeating: UInt8(0xAB), count: 31) + [UInt8(number)]
            _ = builder.add(Device(token: "", id: "d\(number)"), token: token)
        }
        let facts = Shard.Facts(
            app: app,
            campaignID: id,
            provider: .apns,
            environment: nil,
            policy: DeliveryPolicy(),
            pushType: .alert,
            priority: 10,
            expiresAt: WallClock.now().asRead.advanced(by: .seconds(3600)),
            collapseID: "",
            payload: Array("{}".utf8)
        )
        var new = NewCampaign(
            identity: Array(id.utf8),
            job: Array("{}".utf8),
            facts: facts,
            audience: .inline(builder.finish(), version: app + id, duplicates: 0),
            createdAt: WallClock.now().asRead,
            correlationID: id
        )
        new.tags = tags
        return new
    }
}

/// The broker of these tests, with a virtual host and our topology for each test.
package enum TestBroker {
    private static let shared = SharedNode()

    package static func url(_ name: String) async throws -> String {
        let node = try await shared.node()
        try await node.addVirtualHost(name)
        let url = "\(node.url)/\(name)"
        let folder = FileManager.default.temporaryDirectory.path
        let applying = try FanfareProcess(
            ["topology", "apply"],
            folder: folder,
            environment: [
                "FANFARE_AMQP_URL": url, "FANFARE_AMQP_MANAGEMENT_URL": "http://127.0.0.1:\(node.managementPort)",
            ]
        )
        let outcome = try await applying.ended(within: .seconds(60))
        guard outcome.exit == 0 else { throw FanfareProcess.Failure(outcome.errors) }
        return url
    }
}

/// The versions of HTTP that the edge supports.
package enum EdgeHTTP: CaseIterable, Sendable {
    case one, two
}
