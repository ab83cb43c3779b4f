import Campaigns
import Foundation
import Servers
import Testing

@testable import Bench

/// Every scenario once, small but real: it must end and count what it claims to count.
///
/// All of them cost as much as a hundred other tests, so `FANFARE_FULL=1` runs all, and each run one of a kind.
@Suite(.serialized) struct BenchRunTests {
    private static let scenarios: [BenchScenario] =
        FullSuite.isOn ? BenchScenario.allCases : [.sending, .dead, .goaway, .first, .lists, .orders]
    private let folder: CommandFolder
    private let command: Command

    init() throws {
        folder = try CommandFolder()
        command = Command(folder: folder.path)
    }

    /// Results of scenarios that do not depend on the machine and its load.
    private static let certain: [String: Double] = [
        "lost": 0, "repeated": 0, "miscounted": 0,
    ]

    @Test func `scenarios are measured, and nothing is lost, repeated or miscounted`() async throws {
        let node = try await RabbitMQNode.start()
        defer { node.remove() }
        var command = command
        command.environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "TMPDIR": folder.path,
            "FANFARE_AMQP_URL": node.url,
            "FANFARE_AMQP_MANAGEMENT_URL": "http://127.0.0.1:\(node.managementPort)",
        ]
        let arguments =
            [
                "bench", "--devices", "4000", "--requests", "4000", "--pairs", "1", "--json", "--table",
                folder.path + "/table.md",
            ] + Self.scenarios.map(\.rawValue)
        // It takes minutes, in which it would occupy one of the few threads of all tests.
        let outcome = try await aside { [command] in try command.run(arguments) }
        let report = try #require(JSONReader.read(Array(outcome.output.utf8)).value, "\(outcome.errors)")
        let scenarios = try #require(report["scenarios"]?.array)
        #expect(scenarios.map { $0["scenario"]?.string } == Self.scenarios.map(\.rawValue))
        for scenario in scenarios {
            let name = try #require(scenario["scenario"]?.string)
            let notes = try #require(scenario["notes"]?.array)
            let metrics = try #require(scenario["figures"]?.array)
            // On shared cores the peer may cost more than the sender, which is a valid finding.
            #expect(!metrics.isEmpty, "\(name): \(notes)")
            for metric in metrics {
                guard let known = Self.certain[metric["name"]?.string ?? ""] else { continue }
                #expect(metric["value"] == .decimal(known), "\(name): \(metric)")
            }
        }
        let values = Dictionary(
            scenarios.flatMap { $0["figures"]?.array ?? [] }.compactMap { metric in
                metric["name"]?.string.map { ($0, metric["value"]) }
            },
            uniquingKeysWith: { first, _ in first }
        )
        // Of 4,000 devices every twentieth of a connection is dead, and after each thousand a connection gets GOAWAY.
        guard case .number(let dead)?? = values["dead"] else {
            Issue.record("no count of dead devices: \(scenarios)")
            return
        }
        #expect(dead.double.map { (190...200).contains($0) } == true)
        #expect(values["goaways"] != .decimal(0))
        let table = try String(contentsOfFile: folder.path + "/table.md", encoding: .utf8)
        #expect(table.split(separator: "\n").count > Self.scenarios.count)
        #expect(Set(try folder.files()).isSubset(of: ["table.md"]) || outcome.exit == 1)
    }
}
