import Foundation

#if canImport(Campaigns)
import Campaigns
#endif

/// What the edge's own decoders say of a body, so that the far side of these tests takes nothing that the edge refuses.
///
/// The kit's own repository (`Deploy/kit-release.sh`) has no edge: there everything is taken.
enum EdgeRules {
    #if canImport(Campaigns)
    static let areThere = true
    #else
    static let areThere = false
    #endif

    /// Why a body is refused, and where the fault is; nil: it is taken.
    static func refusal(_ method: String, _ path: String, _ body: Data) -> (reason: String, pointer: String)? {
        #if canImport(Campaigns)
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
        #else
        return nil
        #endif
    }
}
