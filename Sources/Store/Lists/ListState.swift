/// Where a list stands in the ledger; the raw value is stored.
enum ListState: Int {
    /// It is being written, and nobody sees it.
    case begun = 0
    /// It is whole.
    case finished = 1
    /// Nobody needs it: what it has is removed piece by piece.
    case removed = 2
}
