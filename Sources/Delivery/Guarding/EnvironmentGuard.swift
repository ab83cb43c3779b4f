/// The wrong-environment guard (design, section 8), which tells wrong tokens from a credential for the wrong
/// environment.
///
/// Pure; it sees totals of a campaign. Until it has decided, devices whose tokens the provider calls wrong are held
/// back: no outcome, no mark.
public struct EnvironmentGuard: Sendable {
    /// The number of answers in the ledger after which it decides.
    public var answersMin: Int
    /// The number of wrong tokens below which it lets a campaign go.
    ///
    /// A test send to one old token says nothing about its environment.
    public var suspectsMin: Int
    /// The number of a campaign's devices that may be out before it has decided.
    public static let outMax = 2000
    /// The number of trips after which the guard lets a campaign go.
    ///
    /// A person who resumes a campaign for the first time says that the credential was fixed, and the guard checks
    /// that. After this many trips, resuming means that the tokens are dead.
    public static let tripsMax = 2

    /// The fleet's guard.
    public init(answersMin: Int = 200, suspectsMin: Int = 10) {
        self.answersMin = answersMin
        self.suspectsMin = suspectsMin
    }

    /// The guard's verdict.
    public enum Verdict: Equatable, Sendable {
        /// Too early to tell.
        case wait
        /// The tokens are wrong.
        case pass
        /// The environment is wrong.
        case trip
    }

    /// Decides about a campaign.
    ///
    /// - Parameters:
    ///   - answers: The number of devices with a final answer from the provider since the campaign was last resumed.
    ///   - suspects: The number of those whose tokens the provider called wrong.
    ///   - isFinished: True if no other device of the campaign is to be sent to.
    public func judge(answers: Int, suspects: Int, isFinished: Bool) -> Verdict {
        guard answers >= answersMin || isFinished else { return .wait }
        return suspects >= suspectsMin && suspects * 2 > answers ? .trip : .pass
    }
}
