public import Foundation

/// A message that the app shows while it is open.
public struct InAppMessage: Sendable, Hashable, Identifiable {
    /// The campaign, or a name of the app's own for a message that it made itself.
    public let id: String
    /// The signed id that events carry back; nil of a message that was made on the device, which is not tracked.
    public let messageID: String?
    /// How it is laid out.
    public var layout: Layout = .modal
    /// The first line.
    public var header: String?
    /// The text; HTML for the layout `html`.
    public var message: String?
    /// A picture.
    public var image: URL?
    /// Tells whether the picture is all there is.
    public var isImageOnly = false
    /// The edge at which a slideup appears.
    public var position: Position = .bottom
    /// Which way the screen must be held; nil for either.
    public var orientation: Orientation?
    /// Seconds until it goes by itself; nil: when the person closes it.
    public var duration: TimeInterval?
    /// At most two are laid out.
    public var buttons: [Button] = []
    /// What is fetched before it can be shown: pictures, or one ZIP of an HTML message.
    public var assets: [URL] = []
    /// What the producer attached.
    public var extras: [String: JSON] = [:]
    /// What makes it appear; one that fits is enough.
    public var triggers: [Trigger] = []
    /// The higher goes first.
    public var priority = 0
    /// From when on it is shown; nil: at once.
    public var startsAt: Date?
    /// Until when it is shown; nil: for ever.
    public var endsAt: Date?
    /// Seconds between trigger and display.
    public var delay: TimeInterval = 0
    /// Seconds from trigger until it is too late; nil: never.
    public var timeout: TimeInterval?
    /// Seconds from one display until it may be shown again; nil: shown once.
    public var repeatAfter: TimeInterval?

    /// Ways to lay it out.
    public enum Layout: String, Sendable, Hashable, CaseIterable {
        case slideup, modal, full, html
    }

    /// An edge at which a slideup appears.
    public enum Position: String, Sendable, Hashable, CaseIterable {
        case top, bottom
    }

    /// How the screen is held.
    public enum Orientation: String, Sendable, Hashable, CaseIterable {
        case portrait, landscape
    }

    /// A button.
    public struct Button: Sendable, Hashable {
        /// What an event names it by.
        public let id: String
        /// The text on it.
        public let label: String
        /// What it opens; nil: it only closes.
        public let link: String?

        /// A button.
        ///
        ///     message.buttons = [InAppMessage.Button(id: "buy", label: "Buy", link: "app://tickets")]
        public init(id: String, label: String, link: String? = nil) {
            self.id = id
            self.label = label
            self.link = link
        }
    }

    /// A message that the app makes itself; it is not tracked.
    ///
    ///     fanfare.display(InAppMessage(id: "welcome", header: "Hello", message: "Nice to see you."))
    public init(id: String, header: String? = nil, message: String? = nil) {
        self.init(id: id, messageID: nil)
        self.header = header
        self.message = message
    }

    init(id: String, messageID: String?) {
        self.id = id
        self.messageID = messageID
    }

    /// Everything that is to be there before it is shown.
    var allAssets: [URL] { (image.map { [$0] } ?? []) + assets.filter { $0 != image } }

    /// Whether it may be shown at an instant.
    func isLive(_ now: Date) -> Bool {
        (startsAt.map { $0 <= now } ?? true) && (endsAt.map { now < $0 } ?? true)
    }
}
