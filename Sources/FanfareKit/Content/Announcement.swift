import Foundation

/// The content of an announcement.
///
///     titleLabel.text = announcement.title
///     actionButton.setTitle(announcement.actionLabel ?? "More", for: .normal)
public struct Announcement: Sendable, Hashable {
    /// True if the body is HTML; such a page contains its own title.
    public let isHTML: Bool
    /// The first line; nil for HTML.
    public let title: String?
    /// Text or HTML.
    public let body: String
    /// The label of the button that acts; nil for the layout's own.
    public let actionLabel: String?
    /// The link that this button opens.
    public let actionLink: String?
    /// The label of the button that leaves; nil for the layout's own.
    public let exitLabel: String?

    init?(_ json: JSON) {
        guard let body = json["body"]?.string else { return nil }
        self.body = body
        isHTML = json["format"]?.string == "html"
        title = isHTML ? nil : json["title"]?.string
        actionLabel = json["action_label"]?.nonEmpty
        actionLink = json["action_url"]?.nonEmpty
        exitLabel = json["exit_label"]?.nonEmpty
    }
}

/// The content of a poll.
///
///     for question in poll.questions { show(question.title, question.choices.map(\.title)) }
public struct Poll: Sendable, Hashable {
    /// The first line; nil for none.
    public let title: String?
    /// The introduction to the questions; nil for none.
    public let body: String?
    /// The label of the button that submits; nil for the layout's own.
    public let actionLabel: String?
    /// The label of the button that leaves; nil for the layout's own.
    public let exitLabel: String?
    /// The questions, at least one.
    public let questions: [Question]

    /// A question of a poll.
    public struct Question: Sendable, Hashable, Identifiable {
        /// The id by which answers name it.
        public let id: String
        /// The text of the question.
        public let title: String
        /// True if several choices may be selected.
        public let isMultiple: Bool
        /// The choices, at least one.
        public let choices: [Choice]
    }

    /// A choice of a question.
    public struct Choice: Sendable, Hashable, Identifiable {
        /// The id by which answers name it.
        public let id: String
        /// The text of the choice.
        public let title: String
        /// True if it is selected at first.
        public let isDefault: Bool
    }

    init?(_ json: JSON) {
        title = json["title"]?.string
        body = json["body"]?.string
        actionLabel = json["action_label"]?.nonEmpty
        exitLabel = json["exit_label"]?.nonEmpty
        questions = (json["questions"]?.array ?? []).compactMap { Question($0) }
        guard !questions.isEmpty else { return nil }
    }
}

extension Poll.Question {
    init?(_ json: JSON) {
        guard let id = json["id"]?.string, let title = json["title"]?.string else { return nil }
        self.id = id
        self.title = title
        isMultiple = json["select"]?.string == "many"
        choices = (json["choices"]?.array ?? []).compactMap { Poll.Choice($0) }
        guard !choices.isEmpty else { return nil }
    }
}

extension Poll.Choice {
    init?(_ json: JSON) {
        guard let id = json["id"]?.string, let title = json["title"]?.string else { return nil }
        self.id = id
        self.title = title
        isDefault = json["default"]?.bool ?? false
    }
}

extension JSON {
    /// The text, or nil when it is empty: an empty label leaves the layout's own.
    var nonEmpty: String? { string.flatMap { $0.isEmpty ? nil : $0 } }
}
