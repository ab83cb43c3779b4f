import Campaigns
import Delivery
import Foundation
import NIOCore
import NIOPosix
import Operations
import Settings
import Store
import Transport

/// Collects a bundle for support: a part that cannot be had is a line of its errors.
///
/// It takes only what is made for people to see: never a file of the configuration, a key, a job, a list or a parked
/// message.
struct BundleSources {
    /// The events of campaigns that are looked through, from the newest on.
    private static let eventsMost = 20_000
    /// The ports that are asked for metrics: a worker without a port of its own takes the next free one.
    private static let portsAsked = 16

    private let configuration: Configuration
    private let logs: BundleLogs
    private let loop = MultiThreadedEventLoopGroup.singleton.next()
    private(set) var bundle: SupportBundle

    /// Begins a bundle; `logs` names where the log's lines are.
    init(_ configuration: Configuration, logs: BundleLogs) {
        self.configuration = configuration
        self.logs = logs
        let written = configuration.settings.compactMap(\.password)
        let known = written + written.compactMap(\.removingPercentEncoding) + [configuration.amqp.password]
        // The password of the broker's first user is no secret, and his name is a finding of doctor.
        bundle = SupportBundle(BundleRedaction(secrets: known.filter { $0 != "guest" }))
    }

    /// Collects all parts.
    mutating func collect(_ findings: [Finding], version: String) async {
        bundle.add("doctor.json", JSONValue.array(findings.map(\.json)).text)
        addConfiguration()
        await addStatus()
        await addTopology()
        await addVersions(version)
        await addMetrics()
        await addEvents()
        await logs.collect(into: &bundle)
    }

    /// Makes the bundle of an installation whose configuration cannot be read.
    static func withoutConfiguration(_ findings: [Finding], version: String, logs: BundleLogs) async -> SupportBundle {
        var bundle = SupportBundle(BundleRedaction(secrets: []))
        bundle.add("doctor.json", JSONValue.array(findings.map(\.json)).text)
        bundle.add("versions.json", JSONValue.object(versions(version)).text)
        for finding in findings { bundle.miss(finding.check, finding.detail) }
        bundle.miss("everything else", "needs the configuration")
        await logs.collect(into: &bundle)
        return bundle
    }

    // MARK: Parts

    private mutating func addConfiguration() {
        let members = configuration.settings.map { setting in
            JSONMember(
                setting.key.name,
                .object([
                    "value": setting.redactedText.map(JSONValue.string) ?? .null, "place": .string(setting.location),
                ])
            )
        }
        bundle.add("configuration.json", JSONValue.object(members).text)
        do throws(ConfigurationError) {
            let apps = try AppsFile.read(path: configuration.appsFile, webhookHosts: configuration.webhookHosts)
            bundle.add("apps.json", JSONValue.array(apps.map(\.summaryJSON)).text)
        } catch {
            for problem in error.problems { bundle.miss("apps", problem.line) }
        }
    }

    private mutating func addStatus() async {
        let facts = await FleetProbe(configuration).take()
        bundle.add("status.json", facts.view(since: facts).json.text)
        if let failure = facts.ledgerFailure { bundle.miss("store", failure.description) }
        if let failure = facts.brokerFailure { bundle.miss("broker", failure.description) }
    }

    private mutating func addTopology() async {
        do throws(AMQPConnectError) {
            let report = try await TopologyTool(configuration, loop: loop).plan()
            let failure = report.managementFailure?.description
            bundle.add(
                "topology.json",
                JSONValue.object([
                    "changes": .array(report.changes.map { .string($0.line) }),
                    "management_failure": failure.map(JSONValue.string) ?? .null,
                ]).text
            )
            if let failure { bundle.miss("policies and bindings", failure) }
        } catch {
            bundle.miss("topology", error.description)
        }
    }

    private mutating func addVersions(_ version: String) async {
        var members = Self.versions(version)
        do throws(ManagementAPI.Failure) {
            members.append(
                JSONMember("broker", .string(try await ManagementAPI(configuration, loop: loop).version()))
            )
        } catch {
            bundle.miss("broker's version", error.description)
        }
        bundle.add("versions.json", JSONValue.object(members).text)
    }

    private static func versions(_ version: String) -> [JSONMember] {
        let release = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)) ?? ""
        let name = release.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }?.dropFirst(12)
        var kernel = utsname()
        uname(&kernel)
        let texts = withUnsafeBytes(of: kernel.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return [
            JSONMember("fanfare", .string(version)),
            JSONMember("system", .string(String((name ?? "unknown").filter { $0 != "\"" }))),
            JSONMember("kernel", .string(texts)),
            JSONMember("cores", .number(JSONNumber(ProcessInfo.processInfo.activeProcessorCount))),
            JSONMember("at", .string(WallClock.now().asRead.rfc3339)),
        ]
    }

    private mutating func addMetrics() async {
        let (worker, server) = (configuration.worker, configuration.server)
        let last = worker.listenIsGiven ? worker.listen.port : min(65_535, worker.listen.port + Self.portsAsked - 1)
        var found = 0
        for port in worker.listen.port...last {
            let address = Configuration.NetworkAddress(host: worker.listen.host, port: port)
            if case .success(let page) = await metrics(of: address) {
                bundle.add("metrics/worker-\(port).txt", page)
                found += 1
            }
        }
        if found == 0 { bundle.miss("metrics of a worker", "none answers at \(worker.listen)") }
        let address = server.metricsListen ?? server.listen
        switch await metrics(of: address) {
        case .success(let page): bundle.add("metrics/server.txt", page)
        case .failure(let failure): bundle.miss("metrics of the server", "\(address): \(failure.reason)")
        }
    }

    /// A reason why an address gave no metrics.
    private struct NoMetrics: Error {
        let reason: String
    }

    private func metrics(of address: Configuration.NetworkAddress) async -> Result<[UInt8], NoMetrics> {
        // A process that listens on every address answers on this machine's own.
        let host = ["0.0.0.0": "127.0.0.1", "::": "::1"][address.host] ?? address.host
        if speaksTLS(address) {
            return .failure(NoMetrics(reason: "it speaks TLS and wants a token: ask it with curl"))
        }
        do throws(HTTP1Error) {
            let client = HTTP1Client(host: host, port: address.port, loop: loop, timeout: .seconds(5))
            let answer = try await client.send("GET", "/metrics")
            guard answer.status == 200 else {
                let reason = answer.status == 401 ? "it wants a viewer's token" : "it answers \(answer.status)"
                return .failure(NoMetrics(reason: reason))
            }
            return .success(answer.body)
        } catch {
            return .failure(NoMetrics(reason: "\(error)"))
        }
    }

    private func speaksTLS(_ address: Configuration.NetworkAddress) -> Bool {
        let server = configuration.server
        return server.certificateFile != nil && [server.listen, server.metricsListen].contains(address)
    }

    private mutating func addEvents() async {
        do throws(LedgerError) {
            let ledger = try Ledger.open(configuration.store, create: false)
            let since = ledger.now().advanced(by: .seconds(-3600))
            let most = Self.eventsMost
            let found: [LedgerHistory]
            do throws(LedgerError) {
                found = try await ledger.read { reader in
                    let last = try reader.lastHistoryPosition()
                    return try reader.history(after: max(0, last - Int64(most)), limit: most)
                }
            } catch {
                await ledger.close()
                throw error
            }
            await ledger.close()
            let lines = found.filter { $0.entry.at >= since }.map { event in
                var entry = event.entry
                entry.data = BundleEvent.chosen(entry.data)
                return HistoryView(entry, app: event.app, campaign: event.campaignID).json.text
            }
            bundle.add("events.ndjson", lines.joined(separator: "\n"))
        } catch {
            bundle.miss("events", error.description)
        }
    }
}
