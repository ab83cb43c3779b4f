extension LedgerTransaction {
    /// Announces a change that pollers want to see: in a campaign's life, or a list.
    func bumpRevision() throws(LedgerError) {
        try db.run("UPDATE meta SET value = value + 1 WHERE key = 'revision'")
    }
}

extension LedgerReader {
    /// A counter that grows whenever any process accepts, starts, pauses, resumes, cancels or completes a campaign.
    ///
    /// It is a single row, polled to learn whether anything has changed.
    public func revision() throws(LedgerError) -> Int64 {
        try db.number("SELECT value FROM meta WHERE key = 'revision'") ?? 0
    }
}
