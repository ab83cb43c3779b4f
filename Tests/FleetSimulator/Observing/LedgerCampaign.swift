/// A row of the ledger's `campaigns`, read without the fleet's code.
struct LedgerCampaign: Equatable {
    /// The columns that `init` reads.
    static let columns = """
        number, id, stage, paused_by, cursor, chunks, audience, duplicates + no_token, rest_outcome, rest_devices, list,
        completed_at, hold, fired_at, superseded_by, expires_at
        """

    let number: Int
    let id: String
    let stage: String
    /// True if its operator has paused it.
    let isPaused: Bool
    /// The first chunk that is not cut.
    let cursor: Int
    let chunks: Int
    let audience: Int
    /// The devices that never had a row: duplicates and users without a device.
    let skipped: Int
    /// The outcome of the devices that were not cut when the campaign ended, and their number.
    let restOutcome: Int?
    let restDevices: Int
    let list: Int
    let isOver: Bool
    let isHeld: Bool
    let supersededBy: Int?
    /// The end, in milliseconds since the epoch.
    let expiresAt: Int

    init(_ row: ObservedRow) {
        (number, id, stage) = (row.int(0), row.text(1), row.text(2))
        isPaused = row.text(3).contains("paused")
        (cursor, chunks, audience, skipped) = (row.int(4), row.int(5), row.int(6), row.int(7))
        (restOutcome, restDevices, list) = (row.optionalInt(8), row.int(9), row.int(10))
        isOver = row.optionalInt(11) != nil
        isHeld = row.int(12) != 0 && row.optionalInt(13) == nil
        (supersededBy, expiresAt) = (row.optionalInt(14), row.int(15))
    }
}
