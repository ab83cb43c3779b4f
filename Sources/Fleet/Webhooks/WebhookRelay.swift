import Campaigns
import Delivery
import Logging
import NIOCore
import Settings
import Store
import Synchronization

/// Posts events to the webhooks of this process's apps, for each webhook one after the other and in order.
///
/// Runs as one task and never delays an ack, because it reads what is committed. Only one worker at a time has a
/// webhook, as long as its lease. A slow or failing webhook delays no other.
struct WebhookRelay: Sendable {
    let worker: Int64
    let ledger: Ledger
    let apps: AppDirectory
    let loop: any EventLoop
    let counters: WebhookCounters
    let logger: Logger
    var settings = Setting()

    /// The durations that a test shortens.
    struct Setting: Sendable {
        /// The time-out of connection, request and answer together.
        var timeout = Duration.seconds(10)
        /// The time between two reads of due webhooks.
        var pause = Duration.milliseconds(500)
    }

    init(
        worker: Int64,
        ledger: Ledger,
        apps: AppDirectory,
        loop: any EventLoop,
        counters: WebhookCounters,
        logger: Logger
    ) {
        self.worker = worker
        self.ledger = ledger
        self.apps = apps
        self.loop = loop
        self.counters = counters
        self.logger = logger
    }

    /// Creates the one of a worker.
    init(_ context: WorkerContext, loop: any EventLoop) {
        self.init(
            worker: context.worker,
            ledger: context.ledger,
            apps: context.apps,
            loop: loop,
            counters: context.posted,
            logger: context.logger
        )
    }

    /// The most webhooks that are served at the same time; others wait for the next read.
    static let runningMax = 32

    /// Posts until the task is cancelled, then gives its webhooks back.
    func run() async {
        let running = RunningWebhooks()
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                for target in await due() {
                    guard running.begin(target.record.number, atMost: Self.runningMax) else { continue }
                    group.addTask {
                        await deliver(target)
                        running.end(target.record.number)
                    }
                }
                try? await Task.sleep(for: settings.pause)  // cancelled: the loop ends
            }
            group.cancelAll()
        }
    }

    private struct Target {
        let record: WebhookRecord
        let webhook: Webhook
    }

    /// Returns the webhooks that have due events, whose app is known here, and that no other worker has.
    private func due() async -> [Target] {
        let known = apps.webhooks
        guard known.contains(where: { !$0.value.isEmpty }), ledger.standing.verdict != .lost else { return [] }
        let now = ledger.now()
        do throws(LedgerError) {
            return try await ledger.read { try $0.dueWebhooks(now: now) }.compactMap { record in
                known[record.app]?.first { $0.url.text == record.url }.map { Target(record: record, webhook: $0) }
            }
        } catch {
            logger.error("webhooks wait for the ledger", metadata: ["error": "\(error)"])
            return []
        }
    }

    private func deliver(_ target: Target) async {
        do {
            var delivery = try WebhookDelivery(self, target.record, target.webhook)
            try await delivery.run()
        } catch is CancellationError {
            // The worker stops; its webhooks are given back.
        } catch {
            // The lease expires by itself; the next read tries again.
            logger.error(
                "a webhook waits",
                metadata: ["app": "\(target.record.app)", "webhook": "\(target.webhook.url)", "error": "\(error)"]
            )
        }
    }
}

/// The webhooks that this process serves at present; may be used from any thread.
private final class RunningWebhooks: Sendable {
    private let numbers = Mutex<Set<Int64>>([])

    /// Adds a webhook; returns false if it is already served, or too many are.
    func begin(_ number: Int64, atMost most: Int) -> Bool {
        numbers.withLock { $0.count < most && $0.insert(number).inserted }
    }

    func end(_ number: Int64) {
        numbers.withLock { _ = $0.remove(number) }
    }
}
