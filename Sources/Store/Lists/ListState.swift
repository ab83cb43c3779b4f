/// The state of a list in the ledger; the raw value is stored.
enum ListState: Int, NamedInSQL {
    /// The list is being written and not visible yet.
    case begun = 0
    /// The list is complete.
    case finished = 1
    /// Nobody needs the list; its content is removed piece by piece.
    case removed = 2
}
