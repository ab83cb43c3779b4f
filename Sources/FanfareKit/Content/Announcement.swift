import Foundation

/// The content of an announcement.
///
///     titleLabel.text = announcement.title
///     actionButton.setTitle(announcement.actionLabel ?? "More", for: .normal)
public struct Announcement: Sendable, Hashable {
    /// Tells whether the body is HTML; such a page has its title in itself.
    public let isHTML: Bool
    /// The first line; nil of HTML.
    public let title: String?
    /// Text or HTML.
    public let body: String
    /// What the button says that acts; nil: the layout's own.
    public let actionLabel: String?
    /// What that button opens.
    public let actionLink: String?
    /// What the button says that leaves; nil: the layout's own.
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
    /// The first line.
    public let title: String?
    /// What it is about.
    public let body: String?
    /// What the button says that submits; nil: the layout's own.
    public let actionLabel: String?
    /// What the button says that leaves; nil: the layout's own.
    public let exitLabel: String?
    /// At least one.
    public let questions: [Question]

    /// A question.
    public struct Question: Sendable, Hashable, Identifiable {
        /// What answers name it by.
        public let id: String
        /// The question.
        public let title: String
        /// Tells whether several choices may be taken.
        public let isMultiple: Bool
        /// At least one.
        public let choices: [Choice]
    }

    /// A choice.
    public struct Choice: Sendable, Hashable, Identifiable {
        /// What answers name it by.
        public let id: String
        /// The text on it.
        public let title: String
        /// Tells whether it is taken at first.
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
    /// The text, when there is anything in it: an empty label leaves the layout's own.
    var nonEmpty: String? { string.flatMap { $0.isEmpty ? nil : $0 } }
}
