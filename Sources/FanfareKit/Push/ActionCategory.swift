/// The buttons under a notification, by the category that a push names.
///
///     options.categories = ActionCategory.standard + [
///         ActionCategory(id: "LIKE", actions: [.init(id: "LIKE_ID", title: "Like", opensApp: true)])
///     ]
public struct ActionCategory: Sendable, Hashable, Identifiable {
    /// The name that a push gives.
    public let id: String
    /// The buttons; at most four are shown.
    public let actions: [Action]

    /// A button.
    public struct Action: Sendable, Hashable, Identifiable {
        /// The id by which an event names it.
        public let id: String
        /// The button's label.
        public let title: String
        /// True if it brings the app to the front; only such a button can open a link of its own.
        public let opensApp: Bool
        /// True if it is drawn as a button whose effect cannot be undone.
        public let isDestructive: Bool

        /// Creates a button.
        ///
        ///     ActionCategory.Action(id: "LIKE_ID", title: "Like", opensApp: true)
        public init(id: String, title: String, opensApp: Bool = false, isDestructive: Bool = false) {
            self.id = id
            self.title = title
            self.opensApp = opensApp
            self.isDestructive = isDestructive
        }
    }

    /// Creates a category of the app's own.
    ///
    ///     options.categories.append(ActionCategory(id: "LIKE", actions: [.init(id: "LIKE_ID", title: "Like")]))
    public init(id: String, actions: [Action]) {
        self.id = id
        self.actions = actions
    }
}
