public import Campaigns

/// A worker's duty to reload orders: when it has to read its files again, and which order a reading answers.
///
/// An order is one in the ledger, so that a worker which was away finds it. A reading answers the orders that were
/// known before it began; a later one may be about changes that the reading has missed.
public struct ReloadDuty: Sendable, Equatable {
    /// The newest order for which a reading was begun or asked for; 0 without one.
    public private(set) var answerable: Int64

    /// Begins with a start, which answers the newest order if the files were read after it.
    public init(newest: ReloadOrder?, filesReadAt: Timestamp) {
        guard let newest else {
            answerable = 0
            return
        }
        answerable = newest.at < filesReadAt ? newest.number : newest.number - 1
    }

    /// Takes the newest order of the ledger; returns true, once for each order, if the files have to be read again.
    public mutating func polled(_ newest: ReloadOrder?) -> Bool {
        guard let newest, newest.number > answerable else { return false }
        answerable = newest.number
        return true
    }
}
