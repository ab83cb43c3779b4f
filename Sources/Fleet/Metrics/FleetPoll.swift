import Campaigns
import Delivery
import NIOCore
import Operations
import Settings
import Store
import Synchronization
import Transport

/// The fleet's state in the ledger and in the queues, as one worker last saw it.
struct FleetMetrics: Sendable {
    /// The queues of lanes that the broker reported; empty when it did not answer.
    var lanes: [(lane: Lane, counts: QueueCounts)] = []
    /// Messages on the rungs, of both sides.
    var retrying: [(rung: Rung, messages: Int)] = []
    var tracking: QueueCounts?
    /// The ledger's part; nil when it could not be read.
    var ledger: LedgerSide?

    /// The fleet's state in the ledger.
    struct LedgerSide: Sendable {
        /// Workers whose last report is recent enough to count as alive.
        var workers: Int
        /// Campaigns that are not over, by state in the contract's words.
        var campaigns: [String: Int]
        /// Campaigns that are paused until a person fixes something.
        var toFix: Int
        /// Devices that could be sent to now, of campaigns that are being sent.
        var backlog: [Urgency: Int]
        /// Parked messages and shards that wait for a person, and refused jobs.
        var parked: ParkedCounts
        /// Open breakers.
        var breakers: [AccountKey]
        /// Webhooks by app.
        var webhooks: [String: WebhookMetrics]
    }

    /// The state of an app's webhooks together.
    struct WebhookMetrics: Sendable {
        /// Events that wait.
        var waiting = 0
        /// The age of the oldest one, in seconds.
        var age = 0
        /// Webhooks that fail at present.
        var failing = 0
        /// Webhooks that were given up.
        var disabled = 0
    }
}

/// Reads ledger and queues every five seconds, for the metrics that no worker can count alone.
///
/// Runs as one task on each worker with the planner role. All report the same, so that nothing is missing when one is
/// gone.
struct FleetPoll: Sendable {
    /// The time between two reads.
    static let pause = Duration.seconds(5)
    /// The states that are reported, even when no campaign has them.
    static let states = ["planning", "scheduled", "held", "sending", "paused"]

    let ledger: Ledger
    let endpoint: AMQPEndpoint
    let loop: any EventLoop
    let providers: [ProviderName]
    /// Returns the queues that have lost the majority of their nodes, as far as it is known.
    let withoutQuorum: @Sendable () -> [String]
    let latest: LatestFleetMetrics

    /// Reads until the task is cancelled.
    func run() async {
        var client: AMQPClient?
        while !Task.isCancelled {
            var metrics = FleetMetrics()
            metrics.ledger = try? await readLedger()  // the series are missing then; the log has the poll's error
            do {
                let connected: AMQPClient
                if let client { connected = client } else { connected = try await connect() }
                client = connected
                try await read(connected, &metrics)
            } catch {
                // The worker's own connections report the fault; this one is made again at the next read.
                await client?.close()
                client = nil
            }
            latest.metrics.withLock { $0 = metrics }
            try? await Task.sleep(for: Self.pause)  // cancelled: the loop ends
        }
        await client?.close()
    }

    private func connect() async throws(AMQPConnectError) -> AMQPClient {
        try await AMQPClient.connect(endpoint, name: "fanfare watch", on: loop)
    }

    private func readLedger() async throws -> FleetMetrics.LedgerSide {
        try await ledger.read { [ledger] reader in
            let now = ledger.now()
            let open = try reader.campaigns(app: nil, isOpen: true, limit: .max)
            var campaigns = Dictionary(uniqueKeysWithValues: Self.states.map { ($0, 0) })
            var (backlog, toFix) = (Dictionary(uniqueKeysWithValues: Urgency.allCases.map { ($0, 0) }), 0)
            for campaign in open where campaign.facts.stage.isLive {
                campaigns[campaign.state, default: 0] += 1
                if !campaign.facts.pausedBy.isDisjoint(with: AsideReason.needingFix) { toFix += 1 }
                guard campaign.state == "sending",
                    let status = try reader.status(campaign: campaign.facts.number, now: now)
                else { continue }
                backlog[status.lane.urgency, default: 0] += status.readyDevices
            }
            return FleetMetrics.LedgerSide(
                workers: try reader.liveWorkers(now: now).count,
                campaigns: campaigns,
                toFix: toFix,
                backlog: backlog,
                parked: try reader.parkedCounts(),
                breakers: try reader.openBreakers().map { AccountKey(app: $0.app, provider: $0.provider) },
                webhooks: Self.metrics(try reader.webhooks(), now: now)
            )
        }
    }

    private static func metrics(_ webhooks: [WebhookRecord], now: Timestamp) -> [String: FleetMetrics.WebhookMetrics] {
        webhooks.reduce(into: [:]) { apps, webhook in
            var metrics = apps[webhook.app] ?? FleetMetrics.WebhookMetrics()
            metrics.waiting += webhook.waiting
            metrics.age = max(metrics.age, Int(now.seconds - (webhook.waitingSince ?? now).seconds))
            if webhook.state.disabledAt != nil {
                metrics.disabled += 1
            } else if webhook.state.failures > 0 {
                metrics.failing += 1
            }
            apps[webhook.app] = metrics
        }
    }

    private func read(_ client: AMQPClient, _ metrics: inout FleetMetrics) async throws(AMQPConnectError) {
        // Of a queue without a majority the broker says that it is empty and that nobody takes from it.
        let unknown = Set(withoutQuorum())
        for provider in providers {
            for urgency in Urgency.allCases {
                let lane = Lane(provider: provider, urgency: urgency)
                guard !unknown.contains(BrokerNames.workQueue(lane)) else { continue }
                guard let counts = try await client.counts(of: BrokerNames.workQueue(lane)) else { continue }
                metrics.lanes.append((lane, counts))
            }
        }
        metrics.tracking = try await client.counts(of: BrokerNames.trackingQueue)
        for rung in Rung.allCases {
            var messages = 0
            for side in RungSide.allCases {
                messages += Int(try await client.counts(of: BrokerNames.retryQueue(rung, side))?.ready ?? 0)
            }
            metrics.retrying.append((rung, messages))
        }
    }
}

extension CampaignStatus {
    /// Devices that wait only for their turn: not those on a rung, set aside or parked, nor those of parts whose time
    /// may not have come.
    fileprivate var readyDevices: Int {
        (parts.isEmpty ? pending.unplanned : 0) + pending.queued + pending.sending
    }
}

/// The result of the last read; may be used from any thread.
final class LatestFleetMetrics: Sendable {
    let metrics = Mutex(FleetMetrics())
}

extension Exposition {
    mutating func write(_ fleet: FleetMetrics) {
        family("fanfare_lane_messages", .gauge, "Shards that wait in a lane's queue, of the whole fleet.")
        for (lane, counts) in fleet.lanes { sample("fanfare_lane_messages", labels(lane), counts.ready) }
        family("fanfare_lane_consumers", .gauge, "Workers that take from a lane, of the whole fleet.")
        for (lane, counts) in fleet.lanes { sample("fanfare_lane_consumers", labels(lane), counts.consumers) }
        family("fanfare_retry_messages", .gauge, "Shards that wait on a rung, of the whole fleet.")
        for (rung, messages) in fleet.retrying {
            sample("fanfare_retry_messages", [("rung", rung.name)], messages)
        }
        family("fanfare_tracking_messages", .gauge, "Batches of tracking reports that wait for the ledger.")
        if let tracking = fleet.tracking { sample("fanfare_tracking_messages", [], tracking.ready) }
        family("fanfare_campaigns", .gauge, "Campaigns that are not over, of the whole fleet.")
        for (state, count) in (fleet.ledger?.campaigns ?? [:]).sorted(by: { $0.key < $1.key }) {
            sample("fanfare_campaigns", [("state", state)], count)
        }
        family(
            "fanfare_backlog_devices",
            .gauge,
            "Devices that could be sent to now, of campaigns that are being sent, of the whole fleet."
        )
        for urgency in Urgency.allCases {
            guard let count = fleet.ledger?.backlog[urgency] else { continue }
            sample("fanfare_backlog_devices", [("urgency", urgency.rawValue)], count)
        }
        family("fanfare_campaigns_to_mend", .gauge, "Campaigns that are paused until a person fixes something.")
        if let ledger = fleet.ledger { sample("fanfare_campaigns_to_mend", [], ledger.toFix) }
        family("fanfare_breaker_open", .gauge, "1 for each breaker that is open, of the whole fleet.")
        for key in fleet.ledger?.breakers ?? [] { sample("fanfare_breaker_open", key.labels, 1) }
        family("fanfare_workers", .gauge, "Workers that the ledger has heard of lately.")
        if let ledger = fleet.ledger { sample("fanfare_workers", [], ledger.workers) }
        family("fanfare_parked_messages", .gauge, "Messages and shards in the ledger that wait for a person.")
        if let ledger = fleet.ledger { sample("fanfare_parked_messages", [], ledger.parked.fleets) }
        family("fanfare_refused_jobs", .gauge, "Refused jobs in the ledger, which wait for their producers.")
        if let ledger = fleet.ledger { sample("fanfare_refused_jobs", [], ledger.parked.producers) }
        write(fleet.ledger?.webhooks ?? [:])
    }

    private mutating func write(_ webhooks: [String: FleetMetrics.WebhookMetrics]) {
        let apps = webhooks.sorted { $0.key < $1.key }
        family("fanfare_webhook_events", .gauge, "Events that wait for an app's webhooks.")
        for (app, metrics) in apps { sample("fanfare_webhook_events", [("app", app)], metrics.waiting) }
        family("fanfare_webhook_oldest_event_seconds", .gauge, "Age of the oldest of these events.")
        for (app, metrics) in apps { sample("fanfare_webhook_oldest_event_seconds", [("app", app)], metrics.age) }
        family("fanfare_webhooks_out", .gauge, "Webhooks of an app that take nothing at present, or were given up.")
        for (app, metrics) in apps {
            sample("fanfare_webhooks_out", [("app", app), ("state", "failing")], metrics.failing)
            sample("fanfare_webhooks_out", [("app", app), ("state", "disabled")], metrics.disabled)
        }
    }

    private func labels(_ lane: Lane) -> [(String, String)] {
        [("provider", lane.provider.rawValue), ("urgency", lane.urgency.rawValue)]
    }
}
