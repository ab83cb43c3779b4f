/// What a campaign is for the app, and so which block its content has besides (contract, section 1, `kind`).
public enum CampaignKind: String, Sendable, CaseIterable {
    /// Something to show; with `rich` it names content to fetch.
    case notification
    /// A page, text or HTML, that the app fetches and shows, with a button that acts and one that leaves.
    case announcement
    /// Questions that the app fetches and shows; the answers are counted.
    case poll
    /// Bytes for the app itself, within the push; nothing is shown.
    case dataPush = "data_push"
    /// Raw provider fields only, sent as they are.
    case native
    /// Shown inside the app when something happens there; no push is sent.
    case inApp = "in_app"

    /// The field of content that such a campaign has, and no other kind; nil for none.
    public var block: String? {
        switch self {
        case .notification, .native: nil
        case .announcement, .poll, .dataPush, .inApp: rawValue
        }
    }

    /// True when an app may tell of it itself, in place of the system.
    public var mayBeToldInside: Bool { self == .notification || hasStoredContent }

    /// Whether the app fetches content of the campaign by the campaign's id.
    public var hasStoredContent: Bool { self == .announcement || self == .poll }
}
