package import Campaigns

/// The exit codes of the contract (section 3); scripts rely on them.
package enum FanfareExit: Int32, Error {
    /// Done.
    case done = 0
    /// Failed.
    case failed = 1
    /// Completed, but devices failed, or only parked ones are left.
    case devicesFailed = 3
    /// The command was called wrongly.
    case usage = 64
    /// The job was refused.
    case refused = 65
    /// Broker or store cannot be reached.
    case unavailable = 69
    /// The time of `--wait` is over.
    case timeout = 75
    /// Not allowed.
    case forbidden = 77
    /// The configuration is wrong.
    case configuration = 78

    /// Returns the code for a kind of problem.
    package init(_ kind: ProblemDocument.Kind) {
        switch kind {
        case .invalidJob, .campaignConflict, .invalidAudience, .invalidContent: self = .refused
        case .usage, .ambiguousCampaign: self = .usage
        case .unavailable: self = .unavailable
        case .timeout: self = .timeout
        case .forbidden, .unauthorized: self = .forbidden
        case .configuration: self = .configuration
        case .notFound, .failed, .wrongState: self = .failed
        // Kinds of the HTTP API only.
        case .methodNotAllowed, .tooLarge, .mediaType, .tooManyRequests: self = .usage
        }
    }
}
