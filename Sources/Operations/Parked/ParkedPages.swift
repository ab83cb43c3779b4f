package import Store

/// The numbers of parked messages with common facts, a page at a time in ascending order.
///
/// Messages parked meanwhile have higher numbers than the last one at the start and are left alone.
package struct ParkedPages: Sendable {
    private let filter: ParkedFilter
    /// The last number of the page before.
    package private(set) var after: Int64
    /// The last number at the start.
    package let last: Int64

    /// Begins with all messages that are parked now.
    package init(_ filter: ParkedFilter, in ledger: Ledger) async throws(LedgerError) {
        self.init(filter, after: 0, last: try await ledger.read { try $0.lastParkedID() })
    }

    /// Goes on behind an earlier page.
    package init(_ filter: ParkedFilter, after: Int64, last: Int64) {
        self.filter = filter
        self.after = after
        self.last = last
    }

    /// Returns the next page; empty after the last one.
    package mutating func next(_ limit: Int, in ledger: Ledger) async throws(LedgerError) -> [Int64] {
        let (filter, from, last) = (filter, after, last)
        let page = try await ledger.read { try $0.parkedIDs(filter, after: from, limit: limit) }.filter { $0 <= last }
        if let end = page.last { after = end }
        return page
    }
}
