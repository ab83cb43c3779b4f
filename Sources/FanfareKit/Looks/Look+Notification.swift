import Foundation

extension Look {
    /// Creates the look of a notification inside the app: icon, texts, image and the buttons of its category.
    ///
    /// A tap acts, and so does each button by its id; the cross and a swipe leave it.
    ///
    ///     let look = Look(notification, categories: options.categories, language: "es")
    public init(_ notification: InAppNotification, categories: [ActionCategory], language: String) {
        self.init(.notification, notification.push.campaign, .slideup(notification.place))
        hasIcon = true
        image = Self.image(notification.media)
        title = notification.title
        subtitle = notification.subtitle
        text = notification.body
        let category = categories.first { $0.id == notification.push.category }
        buttons = (category?.actions ?? []).prefix(Self.buttonsMax).map { action in
            Button(
                id: action.id,
                label: action.title,
                step: .action(action.id),
                weight: action.isDestructive ? .destructive : .plain
            )
        }
        tap = .action(nil)
        cross = .exit
        isSwipedAway = true
        read(in: language)
    }

    /// The most buttons of a notification, as the system allows.
    static let buttonsMax = 4

    private static let imageEndings: Set<String> = ["jpg", "jpeg", "png", "gif", "webp", "heic"]

    /// Returns the address if its file extension is that of an image; sounds and films are for the service extension.
    static func image(_ media: URL?) -> URL? {
        guard let media, imageEndings.contains(media.pathExtension.lowercased()) else { return nil }
        return media
    }
}
