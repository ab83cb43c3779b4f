/// A set of buttons that an app has registered under a name; `apps.yaml` declares it (`categories`).
public struct ActionCategory: Sendable, Equatable {
    /// A button.
    public struct Action: Sendable, Equatable {
        /// The id that a click reports.
        public var id: String
        /// True if it opens the app; only then can it have a link.
        public var isForeground: Bool

        /// Creates a button.
        public init(id: String, isForeground: Bool = false) {
            self.id = id
            self.isForeground = isForeground
        }
    }

    /// The name in jobs.
    public var name: String
    /// The buttons, at least one.
    public var actions: [Action]

    /// Creates a set of buttons.
    public init(name: String, actions: [Action]) {
        self.name = name
        self.actions = actions
    }

    /// The categories of every app with FanfareKit: the agreeing button opens the app, the other only closes.
    public static let standard = [
        ActionCategory(
            name: "ACCEPT_DECLINE",
            actions: [Action(id: "ACCEPT", isForeground: true), Action(id: "DECLINE")]
        ),
        ActionCategory(name: "YES_NO", actions: [Action(id: "YES", isForeground: true), Action(id: "NO")]),
        ActionCategory(
            name: "CONFIRM_CANCEL",
            actions: [Action(id: "CONFIRM", isForeground: true), Action(id: "CANCEL")]
        ),
        ActionCategory(name: "MORE", actions: [Action(id: "MORE", isForeground: true)]),
    ]
}

/// A named value that an app reads from its pushes; `apps.yaml` declares it (`variables`).
///
/// `title`, `body` and `url` are the content's fields of these names; any other name is a key of its `data`.
public struct AppVariable: Sendable, Equatable {
    /// The name.
    public var name: String
    /// True if a job without it is refused.
    public var isRequired: Bool
    /// The default for a job without it.
    public var standard: String?

    /// Creates a declared value.
    public init(name: String, isRequired: Bool = false, standard: String? = nil) {
        self.name = name
        self.isRequired = isRequired
        self.standard = standard
    }
}
