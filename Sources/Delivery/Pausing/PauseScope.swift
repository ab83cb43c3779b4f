public import Campaigns

/// What an operator's pause holds back: all campaigns that fit in every word that is given; with none, all there are.
public struct PauseScope: Hashable, Sendable, CustomStringConvertible {
    /// Only of this app.
    public var app: String?
    /// Only by this provider.
    public var provider: ProviderName?
    /// Only of this urgency.
    public var urgency: Urgency?

    /// A scope; everything by default.
    public init(app: String? = nil, provider: ProviderName? = nil, urgency: Urgency? = nil) {
        self.app = app
        self.provider = provider
        self.urgency = urgency
    }

    /// Whether all that the other holds back is held back by this one, too.
    public func covers(_ other: PauseScope) -> Bool {
        (app == nil || app == other.app) && (provider == nil || provider == other.provider)
            && (urgency == nil || urgency == other.urgency)
    }

    /// Whether there may be a campaign that both hold back.
    public func meets(_ other: PauseScope) -> Bool {
        func fits<Word: Equatable>(_ mine: Word?, _ theirs: Word?) -> Bool {
            mine == nil || theirs == nil || mine == theirs
        }
        return fits(app, other.app) && fits(provider, other.provider) && fits(urgency, other.urgency)
    }

    /// For example `app news, urgency bulk`, or `everything`.
    public var description: String {
        let words = [
            app.map { "app \($0)" }, provider.map { "provider \($0.rawValue)" },
            urgency.map { "urgency \($0.rawValue)" },
        ].compactMap { $0 }
        return words.isEmpty ? "everything" : words.joined(separator: ", ")
    }
}
