import Store

/// Everything that a scrape of a worker tells.
struct WorkerFigures: Sendable {
    var senders: SenderFigures
    var desk: DeskFigures
    var credentialAges: [ProviderFigures.Key: Duration]
    var ledger: LedgerFigures
    /// How far the host's wall clock is ahead of the shared time, in milliseconds.
    var clockSkew: Int64
    var posted: [String: [WebhookTally.Result: Int]]
    var fleet: FleetFigures
    var process: ProcessFigures

    /// The answer to `/metrics`.
    var exposition: String {
        var page = Exposition()
        page.write(desk.tally)
        page.write(desk.tracking)
        page.write(senders.providers)
        page.write(credentialAges: credentialAges)
        page.write(senders, desk)
        page.write(ledger)
        page.write(clockSkew: clockSkew)
        page.write(posted)
        page.write(fleet)
        page.write(process)
        page.writeBuild()
        return page.text
    }
}
