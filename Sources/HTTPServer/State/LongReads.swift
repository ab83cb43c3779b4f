import Campaigns
import HTTPTypes
import Synchronization
import WebServing

/// The reads that pass over whole lists and registries: each keeps the ledger busy for as long as its data is large, so
/// few of them run at once.
final class LongReads: Sendable {
    /// The number of them that run at once.
    static let most = 4
    /// The same of one caller, who may read slowly.
    static let ofCaller = 2

    /// The callers of those that run, one entry for each.
    private let running = Mutex<[String]>([])

    /// The permission for one of them, which ends with the last reference to it.
    final class Permit: Sendable {
        private let reads: LongReads
        private let caller: String

        fileprivate init(_ reads: LongReads, _ caller: String) {
            self.reads = reads
            self.caller = caller
        }

        deinit {
            reads.running.withLock { running in
                if let index = running.firstIndex(of: caller) { running.remove(at: index) }
            }
        }
    }

    /// Takes a permit for a caller; throws 503 when there is none, 429 when the caller has its share.
    func begin(for caller: String) throws(HTTPProblem) -> Permit {
        let refusal = running.withLock { running -> HTTPProblem? in
            if running.count(where: { $0 == caller }) >= Self.ofCaller {
                let title = "\(Self.ofCaller) long reads of this token run already: try again later"
                return HTTPProblem(.tooManyRequests, title, headers: [.retryAfter: "2"])
            }
            if running.count >= Self.most {
                return HTTPProblem(unavailable: "\(Self.most) long reads run already: try again later")
            }
            running.append(caller)
            return nil
        }
        if let refusal { throw refusal }
        return Permit(self, caller)
    }
}
