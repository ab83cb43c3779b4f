import Campaigns
import Store
import Synchronization

/// The questions of polls, read from the ledger once: a campaign's job never changes.
///
/// May be used from any thread.
final class PollForms: Sendable {
    /// A poll's questions, and its campaign's number.
    struct Poll: Sendable {
        let campaign: UInt32
        let form: PollForm
    }

    /// The most polls kept; at more, all are dropped.
    private static let most = 256

    private struct Key: Hashable {
        let app: String
        let id: String
    }

    private let ledger: Ledger
    private let known = Mutex<[Key: Poll]>([:])

    init(_ ledger: Ledger) {
        self.ledger = ledger
    }

    /// Returns the poll of an app's campaign; nil when there is none.
    ///
    /// A missing poll is looked up each time: its campaign may be accepted any moment.
    func poll(_ id: String, app: String) async throws(LedgerError) -> Poll? {
        let key = Key(app: app, id: id)
        if let poll = known.withLock({ $0[key] }) { return poll }
        let found = try await ledger.read { reader -> (UInt32, [UInt8])? in
            guard let number = try reader.campaignNumber(app: app, id: id),
                let job = try reader.storedJob(campaign: number)
            else { return nil }
            return (number, job)
        }
        guard let (campaign, job) = found, let form = JSONReader.read(job).value.flatMap({ PollForm(job: $0) }) else {
            return nil
        }
        let poll = Poll(campaign: campaign, form: form)
        known.withLock { known in
            if known.count >= Self.most { known.removeAll() }
            known[key] = poll
        }
        return poll
    }
}
