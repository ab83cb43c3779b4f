public import Campaigns
public import Delivery

extension LedgerTransaction {
    /// Orders all workers to read their files again (use `synced`), and returns the order.
    ///
    /// It takes the place of the earlier ones: whoever answers it has answered them. Workers find it at their next poll
    /// of the ledger, and those that are away when they come back.
    public func orderReload(by actor: String, now: Timestamp) throws(LedgerError) -> ReloadOrder {
        let inserted = try db.writtenNumber(
            "INSERT INTO reload_orders (at, actor) VALUES (?1, ?2) RETURNING number",
            .time(now),
            .text(actor)
        )
        guard let number = inserted else { throw .failed("a reload order without a number") }
        try db.run("DELETE FROM reload_orders WHERE number < ?1", .int(number))
        return ReloadOrder(number: number, at: now, by: actor)
    }
}

extension LedgerReader {
    /// The newest order to read the files again; nil if there was none.
    public func reloadOrder() throws(LedgerError) -> ReloadOrder? {
        let rows = try db.rows("SELECT number, at, actor FROM reload_orders ORDER BY number DESC LIMIT 1")
        guard try rows.next() else { return nil }
        return ReloadOrder(number: rows.int64("number"), at: rows.time("at"), by: rows.text("actor"))
    }
}
