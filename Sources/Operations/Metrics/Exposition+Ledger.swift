package import Store

extension Exposition {
    /// Writes the metrics of this process's ledger writes.
    package mutating func write(_ ledger: LedgerMetrics) {
        single("fanfare_ledger_commits_total", .counter, "Write transactions of this process.", ledger.commits)
        single("fanfare_ledger_writes_total", .counter, "Writes in them; some share a transaction.", ledger.bodies)
        single(
            "fanfare_ledger_commit_seconds_total",
            .counter,
            "Time in write transactions.",
            seconds: Double(ledger.nanoseconds) / 1_000_000_000
        )
        single("fanfare_ledger_failures_total", .counter, "Write transactions that failed.", ledger.failures)
        single("fanfare_ledger_waiting", .gauge, "Writes that wait for the ledger.", ledger.waiting)
    }
}
