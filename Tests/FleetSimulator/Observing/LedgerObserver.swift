/// Reads the ledger after each commit, with SQL of its own, and hands on the campaigns that changed.
///
/// Safety: used by the process's only thread.
final class LedgerObserver {
    private let database: ObservedDatabase
    /// Called with each account that is new, after the commit that made it so.
    var seen: (CampaignAccount) -> Void = { _ in }
    /// Called with each campaign that was refused.
    var refused: (_ id: String, _ why: String) -> Void = { _, _ in }
    /// Called with each message that was set aside for a person, by its campaign.
    var parked: (_ id: String, _ why: String) -> Void = { _, _ in }
    private var campaigns: [Int: LedgerCampaign] = [:]
    private var shards: [Int: [LedgerShard]] = [:]
    private var chunks: [Int: CampaignAccount.Chunks] = [:]
    private var refusals: Set<String> = []
    private var lastParked = 0
    /// The commits that were read.
    private(set) var commits = 0

    init(path: String) { database = ObservedDatabase(path: path) }

    /// Reads the ledger if something was committed since the last call; at the end, campaigns that are over as well.
    func look(isEnd: Bool = false) {
        guard database.refresh() || isEnd else { return }
        // Before its first migration a ledger has no tables.
        guard let accounts = database.read({ changed(isEnd: isEnd) }) else { return }
        commits += 1
        for account in accounts { seen(account) }
    }

    private func changed(isEnd: Bool) -> [CampaignAccount]? {
        var rows: [LedgerCampaign] = []
        let isRead = database.rows("SELECT \(LedgerCampaign.columns) FROM campaigns ORDER BY number") {
            rows.append(LedgerCampaign($0))
        }
        guard isRead, readRefusals(), readParked() else { return nil }
        return rows.filter { isEnd || !$0.isOver || campaigns[$0.number] != $0 }.compactMap(account)
    }

    private func readRefusals() -> Bool {
        database.rows("SELECT id, document FROM refused") {
            if refusals.insert($0.text(0)).inserted { refused($0.text(0), $0.text(1)) }
        }
    }

    private func readParked() -> Bool {
        database.rows("SELECT id, campaign, reason, errors FROM parked WHERE id > ?1 ORDER BY id", lastParked) {
            lastParked = $0.int(0)
            parked($0.text(1), "\($0.text(2)) \($0.text(3))")
        }
    }

    /// Returns a campaign's account if it has changed.
    private func account(of campaign: LedgerCampaign) -> CampaignAccount? {
        let number = campaign.number
        let chunks = chunks(of: campaign)
        var rows: [LedgerShard] = []
        let sql = "SELECT \(LedgerShard.columns) FROM shards WHERE campaign = ?1 ORDER BY part, ordinal, child"
        guard database.rows(sql, number, { rows.append(LedgerShard($0)) }) else { return nil }
        guard campaigns[number] != campaign || shards[number] != rows else { return nil }
        campaigns[number] = campaign
        shards[number] = rows
        return CampaignAccount(campaign, rows, chunks)
    }

    /// The chunks of a campaign's list, which are there from its acceptance on.
    private func chunks(of campaign: LedgerCampaign) -> CampaignAccount.Chunks {
        if let known = chunks[campaign.number], known.count == campaign.chunks { return known }
        var found: CampaignAccount.Chunks = [:]
        _ = database.rows("SELECT ordinal, first_index, count FROM chunks WHERE list = ?1", campaign.list) {
            found[$0.int(0)] = ($0.int(1), $0.int(2))
        }
        chunks[campaign.number] = found
        return found
    }
}
