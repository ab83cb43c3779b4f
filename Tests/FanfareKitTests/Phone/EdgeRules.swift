import Campaigns
import Foundation

/// What the edge's own decoders say of a body, so that the far side of these tests takes nothing that the edge refuses.
enum EdgeRules {
    /// Why a body is refused, and where the fault is; nil: it is taken.
    static func refusal(_ method: String, _ path: String, _ body: Data) -> (reason: String, pointer: String)? {
        let now = Timestamp(milliseconds: 1_790_000_000_000)
        let problems: [Problem] =
            switch (method, path.split(separator: "/").dropFirst().first) {
            case ("POST", "tracking"): TrackingRequest([UInt8](body), now: now).problems
            case ("POST", "polls"): PollAnswersRequest([UInt8](body), now: now).problems
            case ("POST", "sessions"):
                JSONReader.read([UInt8](body)).value.map { SessionStart.decode($0).problems } ?? []
            default: []
            }
        return problems.first.map { ($0.detail, $0.pointer) }
    }
}
