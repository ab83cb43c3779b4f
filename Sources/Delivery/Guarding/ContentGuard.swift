/// The error-ratio guard, which detects that most devices of a campaign are refused because of its content.
///
/// Such answers do not depend on the device (`AnswerRule.isContentFault`: BadTopic, PayloadTooLarge, InvalidPushType,
/// …). Pure; it sees totals of settled shards that had such an answer. Shards without one are not counted: they cost
/// nothing, and so one language's refused content is found although others are accepted. The run of one shard finds out
/// sooner, before its shard is settled (`ShardRun.contentRefused`), but only the first time.
public struct ContentGuard: Sendable {
    /// The number of answers after which it decides; then it counts anew.
    public var answersMin: Int
    /// The number of trips after which the guard lets a campaign go.
    ///
    /// A person who resumes a campaign for the first time says that the content was fixed, and the guard checks that.
    /// After this many trips, resuming means that the rest is to be sent all the same.
    public static let tripsMax = 2

    /// The fleet's guard.
    public init(answersMin: Int = 200) {
        self.answersMin = answersMin
    }

    /// The guard's verdict.
    public enum Verdict: Equatable, Sendable {
        /// Too early to tell.
        case wait
        /// The devices are the cause: count anew.
        case pass
        /// The content is the cause: the campaign waits for a person.
        case trip
    }

    /// Decides about a campaign.
    ///
    /// - Parameters:
    ///   - answers: The number of devices with a final answer from the provider, in shards with at least one fault.
    ///   - faults: The number of those that were refused because of the content.
    ///   - trips: The number of earlier trips.
    public func judge(answers: Int, faults: Int, trips: Int) -> Verdict {
        guard trips < Self.tripsMax else { return .pass }
        guard answers >= answersMin else { return .wait }
        return faults * 2 > answers ? .trip : .pass
    }
}
