/// A message that the app shows inside itself: `content.in_app`.
public struct InAppMessage: Sendable, Equatable {
    /// The form of a message.
    public enum Layout: String, Sendable, CaseIterable {
        /// A strip at an edge of the screen.
        case slideup
        /// A window over the app.
        case modal
        /// The whole screen.
        case full
        /// A page by the producer.
        case html
    }

    /// The edge of the screen from which a slideup comes.
    public enum Position: String, Sendable, CaseIterable {
        /// From above.
        case top
        /// From below.
        case bottom
    }

    /// The required orientation of the device; in any other the app does not show the message.
    public enum Orientation: String, Sendable, CaseIterable {
        /// Upright.
        case portrait
        /// On its side.
        case landscape
    }

    /// A button of a modal or full message.
    public struct Button: Sendable, Equatable {
        /// The button's name in tracking events; 1–64 of `[A-Za-z0-9._:-]`.
        public var id: String
        /// The label; at most 128 bytes.
        public var label: String
        /// The address to open, at most 2,048 bytes; nil: the button closes the message.
        public var url: String?
    }

    /// The form of the message.
    public var layout: Layout
    /// The header; at most 1,024 bytes.
    public var header: String?
    /// The text, at most 4 KiB; with the layout `html` a page of at most 64 KiB.
    public var message: String?
    /// The image's https address; at most 2,048 bytes.
    public var imageURL: String?
    /// True if the message is only the image.
    public var isImageOnly = false
    /// The edge of a slideup; nil is the app's default, from below.
    public var position: Position?
    /// The required orientation; nil is either.
    public var orientation: Orientation?
    /// Seconds until it closes by itself, 1 … 3,600; nil: the person closes it.
    public var duration: JSONNumber?
    /// The buttons; at most two.
    public var buttons: [Button] = []
    /// The https addresses, at most 20, that the app loads before it shows the message.
    public var assets: [String] = []
    /// The producer's own key-value pairs for the app, at most 4 KiB as JSON.
    public var extras: [JSONMember] = []

    /// The addresses that the app must load before it can show the message, without duplicates.
    public var addresses: [String] {
        var seen: Set<String> = []
        return ((imageURL.map { [$0] } ?? []) + assets).filter { seen.insert($0).inserted }
    }
}
