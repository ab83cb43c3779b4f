public import Campaigns

/// The scope of an operator's pause: the campaigns that match every given word, or all campaigns without any.
public struct PauseScope: Hashable, Sendable, CustomStringConvertible {
    /// The app, if the pause is for one.
    public var app: String?
    /// The provider, if the pause is for one.
    public var provider: ProviderName?
    /// The urgency, if the pause is for one.
    public var urgency: Urgency?

    /// A scope; everything by default.
    public init(app: String? = nil, provider: ProviderName? = nil, urgency: Urgency? = nil) {
        self.app = app
        self.provider = provider
        self.urgency = urgency
    }

    /// Returns true if this scope holds back everything that the other does.
    public func covers(_ other: PauseScope) -> Bool {
        (app == nil || app == other.app) && (provider == nil || provider == other.provider)
            && (urgency == nil || urgency == other.urgency)
    }

    /// Returns true if a campaign may exist that both hold back.
    public func meets(_ other: PauseScope) -> Bool {
        func fits<Word: Equatable>(_ mine: Word?, _ theirs: Word?) -> Bool {
            mine == nil || theirs == nil || mine == theirs
        }
        return fits(app, other.app) && fits(provider, other.provider) && fits(urgency, other.urgency)
    }

    /// A text such as `app news, urgency bulk`, or `everything`.
    public var description: String {
        let words = [
            app.map { "app \($0)" }, provider.map { "provider \($0.rawValue)" },
            urgency.map { "urgency \($0.rawValue)" },
        ].compactMap { $0 }
        return words.isEmpty ? "everything" : words.joined(separator: ", ")
    }
}
