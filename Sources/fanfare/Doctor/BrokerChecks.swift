import Delivery
import NIOPosix
import Operations
import PushProviders
import Settings
import Transport

/// Checks the broker and its topology.
struct BrokerChecks {
    let configuration: Configuration

    /// The first RabbitMQ whose quorum queues dead-letter at least once, which retries and parking need.
    static let versionLeast = [3, 10]

    /// Runs all checks; changes nothing on the broker.
    func run() async -> [Finding] {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        do throws(AMQPConnectError) {
            let client = try await AMQPClient.connect(configuration.amqp, name: "fanfare doctor", on: loop)
            await client.close()
        } catch {
            let fix = "start it, or fix amqp.url (fanfare config show)"
            return [.wrong("broker", error.description, fix: fix), .unknown("topology", "needs the broker")]
        }
        let management = ManagementAPI(configuration, loop: loop)
        var findings = [Finding.well("broker", configuration.amqp.description)]
        do throws(ManagementAPI.Failure) {
            let version = try await management.version()
            let versions = BrokerVersions(
                nodes: try await management.nodeVersions(),
                flags: try await management.featureFlags() ?? []
            )
            findings.append(Self.version(version, versions))
            findings += Self.flags(versions)
            findings.append(Self.clock(try await management.clockSkew()))
            findings += Self.cluster(try await management.standing(of: TopologyManifest.queueNames))
        } catch {
            let fix = "rabbitmq-plugins enable rabbitmq_management, or fix amqp.management_url"
            findings.append(.warning("management API", error.description, fix: fix))
        }
        findings.append(await topology(TopologyTool(configuration, loop: loop)))
        return findings
    }

    /// Returns the finding about the versions of the broker's nodes; `asked` is that of the node that answers.
    static func version(_ asked: String, _ versions: BrokerVersions = BrokerVersions(nodes: [:])) -> Finding {
        let all = versions.byVersion
        let text = all.first?.version ?? asked
        let numbers = text.split(separator: ".").prefix(2).compactMap { Int($0) }
        guard numbers.count == 2 else { return .unknown("broker version", "\(text) is not understood") }
        guard numbers.lexicographicallyPrecedes(versionLeast) else {
            guard all.count > 1 else {
                let count = versions.nodes.count
                return .well("broker version", count > 1 ? "\(text) on \(count) nodes" : text)
            }
            return .warning(
                "broker version",
                all.map { "\($0.version) on \($0.nodes.joined(separator: ", "))" }.joined(separator: "; "),
                fix: "upgrade the older nodes, too: a cluster of two versions is meant to last for the upgrade only"
            )
        }
        let least = versionLeast.map(String.init).joined(separator: ".")
        return .wrong(
            "broker version",
            "\(text) cannot dead-letter from quorum queues without losing messages",
            fix: "use RabbitMQ \(least) or later"
        )
    }

    /// Returns the finding about feature flags; none if all that should be on are.
    static func flags(_ versions: BrokerVersions) -> [Finding] {
        let wanted = versions.wantedFlags
        guard !wanted.isEmpty else { return [] }
        let off = wanted.count == 1 ? "is off" : "are off"
        return [
            .warning(
                "broker feature flags",
                "\(wanted.joined(separator: ", ")) \(off); a later RabbitMQ may not start without",
                fix: "rabbitmqctl enable_feature_flag all, once every node is upgraded"
            )
        ]
    }

    /// Returns the finding about the clocks' difference.
    static func clock(_ skew: ClockSkew?) -> Finding {
        guard let skew else { return .unknown("broker clock", "its answer has no time") }
        guard skew.isNoteworthy else { return .well("broker clock", "in step with this machine's") }
        return .wrong(
            "broker clock",
            skew.text(of: "the broker"),
            fix: "set the wrong one right: campaigns begin and end by the clock"
        )
    }

    /// Returns the findings about the cluster's nodes; none on a single node that answers and is not in an alarm.
    static func cluster(_ standing: ClusterStanding) -> [Finding] {
        let ofQueues = standing.nodes.count > 1 ? [quorum(standing), leaders(standing)].compactMap(\.self) : []
        return ofQueues
            + BrokerFaults(standing).problems.compactMap { problem in
                switch problem.code {
                case .brokerPartition: .wrong("broker partition", problem.cause, fix: problem.remedy)
                case .brokerAlarm: .wrong("broker alarm", problem.cause, fix: problem.remedy)
                default: nil
                }
            }
    }

    private static func quorum(_ standing: ClusterStanding) -> Finding {
        let missing = standing.missingNodes.joined(separator: ", ")
        let lost = standing.withoutQuorum
        if let first = lost.first {
            let more = lost.count == 1 ? "" : " and \(lost.count - 1) more"
            return .wrong(
                "broker quorum",
                "\(first)\(more) lost the majority of their nodes and take and give nothing; missing: \(missing)",
                fix: "start the missing nodes; the workers go on by themselves"
            )
        }
        guard missing.isEmpty else {
            return .warning(
                "broker quorum",
                "missing: \(missing); one more, and queues stand still",
                fix: "start the missing nodes (rabbitmq-diagnostics cluster_status)"
            )
        }
        return .well("broker quorum", "all of \(standing.nodes.count) nodes have the queues")
    }

    private static func leaders(_ standing: ClusterStanding) -> Finding? {
        guard standing.missingNodes.isEmpty else { return nil }
        let uneven = standing.unevenLeaders
        guard !uneven.isEmpty else { return .well("queue leaders", "spread over the nodes") }
        let list = uneven.map { "\($0.node) \($0.leaders)" }.joined(separator: ", ")
        return .warning(
            "queue leaders",
            "not spread over the nodes: \(list)",
            fix: "rabbitmq-queues rebalance quorum --queue-pattern '^fanfare'"
        )
    }

    private func topology(_ tool: TopologyTool) async -> Finding {
        do throws(AMQPConnectError) {
            let report = try await tool.plan()
            guard let first = report.changes.first else {
                let unseen = report.managementFailure == nil ? "" : "; policies and bindings could not be seen"
                return .well("topology", "the broker is as it should be" + unseen)
            }
            let more = report.changes.count == 1 ? "" : " and \(report.changes.count - 1) more"
            return .wrong(
                "topology",
                first.line + more,
                fix: "fanfare topology apply (fanfare topology plan shows all)"
            )
        } catch {
            return .unknown("topology", error.description)
        }
    }
}
