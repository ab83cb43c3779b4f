/// The kind of a campaign, which determines the block that its content requires (contract, section 1, `kind`).
public enum CampaignKind: String, Sendable, CaseIterable {
    /// A notification; with `rich` it refers to content that the app fetches.
    case notification
    /// A page, text or HTML, that the app fetches and shows, with an action button and an exit button.
    case announcement
    /// Questions that the app fetches and shows; the answers are counted.
    case poll
    /// Bytes for the app itself, within the push; nothing is shown.
    case dataPush = "data_push"
    /// A raw payload per provider, sent unchanged.
    case native
    /// A message that the app shows when something happens in it; no push is sent.
    case inApp = "in_app"

    /// The field of content that only this kind has; nil for none.
    public var block: String? {
        switch self {
        case .notification, .native: nil
        case .announcement, .poll, .dataPush, .inApp: rawValue
        }
    }

    /// True if an app may show the campaign itself, instead of the system.
    public var mayBeToldInside: Bool { self == .notification || hasStoredContent }

    /// True if the app fetches the campaign's content by the campaign's id.
    public var hasStoredContent: Bool { self == .announcement || self == .poll }
}
