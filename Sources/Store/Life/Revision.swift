extension LedgerTransaction {
    /// Says that something has changed that pollers want to see: a campaign's life, a list.
    func bumpRevision() throws(LedgerError) {
        try db.run("UPDATE meta SET value = value + 1 WHERE key = 'revision'")
    }
}

extension LedgerReader {
    /// Grows whenever a campaign is accepted, starts, is paused, resumed, cancelled or completed, in any process.
    ///
    /// One row: what is polled to learn whether there is anything to look at.
    public func revision() throws(LedgerError) -> Int64 {
        try db.number("SELECT value FROM meta WHERE key = 'revision'") ?? 0
    }
}
