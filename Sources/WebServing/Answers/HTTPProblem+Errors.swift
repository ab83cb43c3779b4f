import Campaigns
import HTTPTypes
import Operations
import Store

extension HTTPProblem {
    /// Makes the problem of an error that a handler threw; nil for defects of ours, which are logged and not disclosed.
    package init?(_ error: any Error) {
        switch error {
        case let problem as HTTPProblem: self = problem
        case let error as LedgerError: self.init(error)
        case let refusal as ChannelRefusal: self.init(refusal.document)
        case let problem as UploadProblem: self.init(problem.document)
        case is CancellationError: self.init(unavailable: "the server stops")
        default: return nil
        }
    }

    /// Makes a 503: the same request may succeed in a moment.
    package init(unavailable title: String) {
        self.init(.unavailable, title, headers: [.retryAfter: "2"])
    }

    private init?(_ error: LedgerError) {
        switch error {
        case .ambiguous: self.init(.ambiguousCampaign, error.description)
        case .failed, .unsynced: return nil
        default: self.init(unavailable: error.description)
        }
    }
}
