package import Campaigns
import PushProviders

/// The reason why an order about channels was not carried out, as command and API report it.
package struct ChannelRefusal: Error, Equatable {
    /// The problem document.
    package let document: ProblemDocument

    init(_ kind: ProblemDocument.Kind, _ problem: Problem) {
        document = ProblemDocument(kind, title: "The channel order was not carried out", errors: [problem])
    }

    // MARK: - Ours

    static func noService(app: String) -> ChannelRefusal {
        ChannelRefusal(
            .wrongState,
            Problem(
                pointer: "",
                code: .unservedProvider,
                detail: "\(app) has no key of Apple's here, and a channel needs a provider token",
                fix: "give the app's block apns in apps.yaml of this host team_id, key_id and key_file"
            )
        )
    }

    static func invalid(_ field: String, _ detail: String, fix: String? = nil) -> ChannelRefusal {
        ChannelRefusal(.usage, Problem(pointer: "/\(field)", code: .format, detail: detail, fix: fix))
    }

    static func taken(_ name: String, app: String) -> ChannelRefusal {
        ChannelRefusal(
            .wrongState,
            Problem(
                pointer: "/name",
                code: .conflict,
                detail: "\(app) has a channel \(name) already, or another name for the same id",
                fix: "see fanfare channel ls --app \(app); give another name, or remove that one first"
            )
        )
    }

    static func missing(_ name: String, app: String) -> ChannelRefusal {
        ChannelRefusal(
            .notFound,
            Problem(
                pointer: "/name",
                code: .unknownChannel,
                detail: "\(app) has no channel \(NameRule.shown(name))",
                fix: "see fanfare channel ls --app \(app)"
            )
        )
    }

    // MARK: - Apple's

    /// Returns the refusal that an answer of Apple's means; nil for one that refuses nothing.
    init?(_ answer: ChannelAnswer, app: String, environment: PushEnvironment) {
        let place = "\(app) in \(environment.rawValue)"
        switch answer {
        case .created, .found, .deleted, .listed: return nil
        case .unknownChannel:
            self.init(
                .notFound,
                Problem(
                    pointer: "/id",
                    code: .unknownChannel,
                    detail: "Apple knows no such channel of \(place)",
                    fix: "a channel of sandbox is not one of production; see fanfare channel ls --app \(app) --apple"
                )
            )
        case .limitReached:
            let most = NumberText.grouped(ChannelService.channelsMax)
            self.init(
                .wrongState,
                Problem(
                    pointer: "",
                    code: .tooMany,
                    detail: "Apple keeps at most \(most) channels of \(place), and there are as many; "
                        + "the limit is Apple's, not one of fanfare's",
                    fix: "remove those whose event is over: fanfare channel rm NAME --app \(app)"
                )
            )
        case .expiredCredential:
            self.init(
                .wrongState,
                Problem(
                    pointer: "",
                    code: .refusedByProvider,
                    detail: "Apple refuses the provider token of \(place)",
                    fix: "check the key and this machine's clock: fanfare app check \(app)"
                )
            )
        case .refused(let status, let reason):
            let isFeature = reason.hasSuffix("FeatureNotEnabled")
            self.init(
                status == 429 || status >= 500 ? .unavailable : .wrongState,
                Problem(
                    pointer: "",
                    code: .refusedByProvider,
                    detail: "Apple refuses it for \(place): \(status) \(reason)",
                    fix: isFeature
                        ? "turn on Broadcast Capability for the app's identifier at developer.apple.com" : nil
                )
            )
        case .unreadable(let status):
            self.init(unanswered: "it answered \(status), without what it should say", app: app)
        }
    }

    /// Makes the refusal of an order whose result is not known.
    init(unanswered reason: String, app: String) {
        self.init(
            .unavailable,
            Problem(
                pointer: "",
                code: .refusedByProvider,
                detail: "Apple's channel management did not answer for \(app): \(reason)",
                fix: "try again; fanfare channel ls --app \(app) --apple shows a channel that was made all the same"
            )
        )
    }
}
