import Campaigns
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Operations
import Store
import Transport

extension HTTPProblem {
    /// Makes the problem of an error that a handler threw; nil for defects of ours, which are logged and not disclosed.
    init?(_ error: any Error) {
        switch error {
        case let problem as HTTPProblem: self = problem
        case let error as LedgerError: self.init(error)
        case let error as AMQPConnectError: self.init(unavailable: "\(error)")
        case let error as CampaignProducer.Failure: self.init(error)
        case let error as HTTPError where error.status.code == 413: self.init(.tooLarge, "the body is too large")
        case let error as HTTPError where (400..<500).contains(error.status.code):
            self.init(.usage, error.body ?? "the request cannot be read")
        case is CancellationError: self.init(unavailable: "the server stops")
        default: return nil
        }
    }

    /// Makes a 503: the same request may succeed in a moment.
    init(unavailable title: String) {
        self.init(.unavailable, title, headers: [.retryAfter: "2"])
    }

    private init?(_ error: LedgerError) {
        switch error {
        case .ambiguous: self.init(.ambiguousCampaign, error.description)
        case .failed, .unsynced: return nil
        default: self.init(unavailable: error.description)
        }
    }

    private init(_ error: CampaignProducer.Failure) {
        switch error {
        case .forbidden: self.init(.forbidden, error.description)
        default: self.init(unavailable: error.description)
        }
    }
}
