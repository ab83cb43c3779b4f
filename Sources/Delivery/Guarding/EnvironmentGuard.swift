/// The wrong-environment guard (design, section 8): whether tokens that the provider calls wrong are, or the credential
/// is for the other environment.
///
/// Pure; it sees totals of a campaign. Until it has decided, such devices are held back: no outcome, no mark.
public struct EnvironmentGuard: Sendable {
    /// Answers in the ledger after which it decides.
    public var answersMin: Int
    /// With fewer wrong tokens it lets a campaign go: a test send to one old token says nothing of its environment.
    public var suspectsMin: Int
    /// Devices of a campaign that may be out until it has decided.
    public static let outMax = 2000
    /// A person who resumes a campaign says the first time that the credential was mended: the guard looks whether that
    /// is so.
    ///
    /// After so many trips it means that the tokens are dead, and the guard lets the campaign go.
    public static let tripsMax = 2

    /// The fleet's.
    public init(answersMin: Int = 200, suspectsMin: Int = 10) {
        self.answersMin = answersMin
        self.suspectsMin = suspectsMin
    }

    /// What it says.
    public enum Verdict: Equatable, Sendable {
        /// Too early to tell.
        case wait
        /// The tokens are wrong.
        case pass
        /// The environment is.
        case trip
    }

    /// Decides about a campaign.
    ///
    /// - Parameters:
    ///   - answers: Devices that the provider has said something final about, since the campaign was last resumed.
    ///   - suspects: Those among them whose tokens it called wrong.
    ///   - isFinished: Whether no other device of the campaign is to be sent to.
    public func judge(answers: Int, suspects: Int, isFinished: Bool) -> Verdict {
        guard answers >= answersMin || isFinished else { return .wait }
        return suspects >= suspectsMin && suspects * 2 > answers ? .trip : .pass
    }
}
