public import Foundation

/// A message that the app shows while it is open.
public struct InAppMessage: Sendable, Hashable, Identifiable {
    /// The campaign's id, or the app's own name for a message that it made itself.
    public let id: String
    /// The signed id that events carry back; nil for a message made on the device, which is not tracked.
    public let messageID: String?
    /// The layout.
    public var layout: Layout = .modal
    /// The first line.
    public var header: String?
    /// The text; HTML for the layout `html`.
    public var message: String?
    /// The address of an image; nil for none.
    public var image: URL?
    /// True if the message consists of the image only.
    public var isImageOnly = false
    /// The edge at which a slideup appears.
    public var position: Position = .bottom
    /// The orientation that the screen must have; nil for either.
    public var orientation: Orientation?
    /// The seconds until it disappears by itself; nil: it stays until the person closes it.
    public var duration: TimeInterval?
    /// The buttons; at most two are laid out.
    public var buttons: [Button] = []
    /// The files fetched before it can be shown: images, or one ZIP of an HTML message.
    public var assets: [URL] = []
    /// The extra data that the producer attached.
    public var extras: [String: JSON] = [:]
    /// The triggers; one that matches is enough.
    public var triggers: [Trigger] = []
    /// The priority; a higher one goes first.
    public var priority = 0
    /// The time from which on it may be shown; nil: at once.
    public var startsAt: Date?
    /// The time until which it may be shown; nil: forever.
    public var endsAt: Date?
    /// The seconds between trigger and display.
    public var delay: TimeInterval = 0
    /// The seconds after the trigger when it is too late to show it; nil: never.
    public var timeout: TimeInterval?
    /// The seconds after a display until it may be shown again; nil: it is shown once.
    public var repeatAfter: TimeInterval?

    /// The layouts of a message.
    public enum Layout: String, Sendable, Hashable, CaseIterable {
        case slideup, modal, full, html
    }

    /// An edge at which a slideup appears.
    public enum Position: String, Sendable, Hashable, CaseIterable {
        case top, bottom
    }

    /// The orientation of the screen.
    public enum Orientation: String, Sendable, Hashable, CaseIterable {
        case portrait, landscape
    }

    /// A button of a message.
    public struct Button: Sendable, Hashable {
        /// The id by which an event names it.
        public let id: String
        /// The button's label.
        public let label: String
        /// The link that it opens; nil: it only closes the message.
        public let link: String?

        /// Creates a button.
        ///
        ///     message.buttons = [InAppMessage.Button(id: "buy", label: "Buy", link: "app://tickets")]
        public init(id: String, label: String, link: String? = nil) {
            self.id = id
            self.label = label
            self.link = link
        }
    }

    /// Creates a message of the app's own; it is not tracked.
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

    /// All files that must be present before it is shown.
    var allAssets: [URL] { (image.map { [$0] } ?? []) + assets.filter { $0 != image } }

    /// Returns true if it may be shown at a time.
    func isLive(_ now: Date) -> Bool {
        (startsAt.map { $0 <= now } ?? true) && (endsAt.map { now < $0 } ?? true)
    }
}
