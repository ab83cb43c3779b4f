/// The error-ratio guard: whether most devices of a campaign are refused for its content's sake, whatever the device
/// (`AnswerRule.isContentFault`: BadTopic, PayloadTooLarge, InvalidPushType, …).
///
/// Pure; it sees totals of settled shards in which there was such an answer. Shards without one are not counted: they
/// cost nothing, and one language's content that is refused is found beside others that are taken. A run of one shard
/// finds out sooner, before its shard is settled (`ShardRun.contentRefused`), but only the first time.
public struct ContentGuard: Sendable {
    /// Answers after which it decides; then it counts anew.
    public var answersMin: Int
    /// A person who resumes a campaign says the first time that it was mended: the guard looks whether that is so.
    ///
    /// After so many trips it means that the rest is to be sent all the same, and the guard lets the campaign go.
    public static let tripsMax = 2

    /// The fleet's.
    public init(answersMin: Int = 200) {
        self.answersMin = answersMin
    }

    /// What it says.
    public enum Verdict: Equatable, Sendable {
        /// Too early to tell.
        case wait
        /// It is the devices': count anew.
        case pass
        /// It is the content: the campaign waits for a person.
        case trip
    }

    /// Decides about a campaign.
    ///
    /// - Parameters:
    ///   - answers: Devices that the provider has said something final about, in shards with at least one fault.
    ///   - faults: Those among them that were refused for the content's sake.
    ///   - trips: How often it has tripped.
    public func judge(answers: Int, faults: Int, trips: Int) -> Verdict {
        guard trips < Self.tripsMax else { return .pass }
        guard answers >= answersMin else { return .wait }
        return faults * 2 > answers ? .trip : .pass
    }
}
