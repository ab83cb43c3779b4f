import Campaigns
import Delivery
import Logging
import NIOCore
import Store
import Synchronization

/// Posts events to the webhooks of this process's apps, each webhook's one after the other in their order.
///
/// Runs as one task; never delays an ack: it reads what is committed. Of all workers one at a time has a webhook, for as
/// long as its lease. A webhook that is slow or out holds up no other.
struct WebhookRelay: Sendable {
    let worker: Int64
    let ledger: Ledger
    let apps: AppDirectory
    let loop: any EventLoop
    let counters: WebhookCounters
    let logger: Logger
    var settings = Settings()

    /// What a test makes shorter.
    struct Settings: Sendable {
        /// For connection, request and answer together.
        var timeout = Duration.seconds(10)
        /// Between looks for what is to be posted.
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

    /// A worker's.
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

    /// Webhooks that are served at the same time; others wait for the next look.
    static let runningMax = 32

    /// Posts until the task is cancelled, and gives back what it has then.
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

    /// What is to be posted now and can be: its app is known here, and nobody else is at it.
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
        } catch {
            // Its lease ends by itself; the next look tries again.
            logger.error(
                "a webhook waits",
                metadata: ["app": "\(target.record.app)", "webhook": "\(target.webhook.url)", "error": "\(error)"]
            )
        }
    }
}

/// The webhooks that this process is at; may be used from any thread.
private final class RunningWebhooks: Sendable {
    private let numbers = Mutex<Set<Int64>>([])

    /// Whether a webhook may be begun: it is not at it, and not at too many.
    func begin(_ number: Int64, atMost most: Int) -> Bool {
        numbers.withLock { $0.count < most && $0.insert(number).inserted }
    }

    func end(_ number: Int64) {
        numbers.withLock { _ = $0.remove(number) }
    }
}
