/// A message that the app shows inside itself: `content.in_app`.
public struct InAppMessage: Sendable, Equatable {
    /// What it looks like.
    public enum Layout: String, Sendable, CaseIterable {
        /// A strip at an edge of the screen.
        case slideup
        /// A window over the app.
        case modal
        /// The whole screen.
        case full
        /// A page of the producer's own.
        case html
    }

    /// Where a slideup comes from.
    public enum Position: String, Sendable, CaseIterable {
        /// From above.
        case top
        /// From below.
        case bottom
    }

    /// How the device must be held; otherwise the app does not show the message.
    public enum Orientation: String, Sendable, CaseIterable {
        /// Upright.
        case portrait
        /// On its side.
        case landscape
    }

    /// A button of a modal or full message.
    public struct Button: Sendable, Equatable {
        /// What tracking calls it; 1–64 of `[A-Za-z0-9._:-]`.
        public var id: String
        /// At most 128 bytes.
        public var label: String
        /// What it opens, at most 2,048 bytes; nil: it closes the message.
        public var url: String?

        /// A button.
        public init(id: String, label: String, url: String? = nil) {
            self.id = id
            self.label = label
            self.url = url
        }
    }

    /// What it looks like.
    public var layout: Layout
    /// At most 1,024 bytes.
    public var header: String?
    /// At most 4 KiB; a page of at most 64 KiB when the layout is `html`.
    public var message: String?
    /// https, at most 2,048 bytes.
    public var imageURL: String?
    /// Whether there is nothing but the image.
    public var isImageOnly = false
    /// nil is the app's own, from below.
    public var position: Position?
    /// nil is either.
    public var orientation: Orientation?
    /// Seconds until it goes by itself, 1 … 3,600; nil: when the person closes it.
    public var duration: JSONNumber?
    /// At most two.
    public var buttons: [Button] = []
    /// What the app loads before it shows the message: at most 20 https addresses.
    public var assets: [String] = []
    /// The producer's own pairs for the app, at most 4 KiB as JSON.
    public var extras: [JSONMember] = []

    /// An empty message.
    public init(layout: Layout) {
        self.layout = layout
    }

    /// Everything that is to be loaded before the message can be shown, each address once.
    public var addresses: [String] {
        var seen: Set<String> = []
        return ((imageURL.map { [$0] } ?? []) + assets).filter { seen.insert($0).inserted }
    }
}

extension Job {
    /// The in-app message as a device with this locale gets it; nil for a campaign of another kind.
    ///
    /// Of `content.localizations` the title is its header, the body its message and `media_url` its image.
    public func inAppMessage(for locale: String?) -> InAppMessage? {
        guard var message = content.inApp else { return nil }
        let index = LocaleFallback.index(of: locale, among: content.localizations.map(\.locale))
        guard let index else { return message }
        let other = content.localizations[index]
        if let header = other.title { message.header = header }
        if let text = other.body { message.message = text }
        if let image = other.mediaURL { message.imageURL = image }
        return message
    }
}
