/// Buttons under a notification, by the name that a push gives.
///
///     options.categories = ActionCategory.standard + [
///         ActionCategory(id: "LIKE", actions: [.init(id: "LIKE_ID", title: "Like", opensApp: true)])
///     ]
public struct ActionCategory: Sendable, Hashable, Identifiable {
    /// What a push names.
    public let id: String
    /// The buttons, at most four are shown.
    public let actions: [Action]

    /// A button.
    public struct Action: Sendable, Hashable, Identifiable {
        /// What an event names it by.
        public let id: String
        /// The text on it.
        public let title: String
        /// Tells whether it brings the app to the front; only then a link of its own can be opened.
        public let opensApp: Bool
        /// Tells whether it is drawn as something that cannot be taken back.
        public let isDestructive: Bool

        /// A button.
        ///
        ///     ActionCategory.Action(id: "LIKE_ID", title: "Like", opensApp: true)
        public init(id: String, title: String, opensApp: Bool = false, isDestructive: Bool = false) {
            self.id = id
            self.title = title
            self.opensApp = opensApp
            self.isDestructive = isDestructive
        }
    }

    /// A category of the app's own.
    ///
    ///     options.categories.append(ActionCategory(id: "LIKE", actions: [.init(id: "LIKE_ID", title: "Like")]))
    public init(id: String, actions: [Action]) {
        self.id = id
        self.actions = actions
    }
}
