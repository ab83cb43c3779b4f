/// A reference in a push to content that the app fetches: `content.rich`.
public struct RichReference: Sendable, Equatable {
    /// The type of content, in the app's own terms; 1–64 of `[A-Za-z0-9._:-]`.
    public var type: String
    /// The id of a stored content of the app; 1–128 of `[A-Za-z0-9._:-]`.
    public var id: String
    /// The text for when the app announces the content itself, as after a silent push; at most 1,024 bytes.
    public var message: String?

    /// Creates a reference.
    public init(type: String, id: String, message: String? = nil) {
        self.type = type
        self.id = id
        self.message = message
    }
}

/// A page with an action button and an exit button: `content.announcement`.
public struct Announcement: Sendable, Equatable {
    /// The format of the body.
    public enum Format: String, Sendable, CaseIterable {
        /// Plain text.
        case text
        /// A page; the app shows it without its title.
        case html
    }

    /// The format of the body.
    public var format: Format
    /// The title; at most 1,024 bytes.
    public var title: String?
    /// The body; at most 256 KiB.
    public var body: String
    /// The label of the action button, at most 256 bytes; nil means the default of the app's layout.
    public var actionLabel: String?
    /// The address that the action button opens; at most 2,048 bytes.
    public var actionURL: String?
    /// The label of the exit button, at most 256 bytes; nil means the default of the app's layout.
    public var exitLabel: String?

    /// Creates a page with only a body.
    public init(format: Format, body: String) {
        self.format = format
        self.body = body
    }
}

/// Questions with choices: `content.poll`.
public struct Poll: Sendable, Equatable {
    /// The title; at most 1,024 bytes.
    public var title: String?
    /// The text above the questions; at most 16 KiB.
    public var body: String?
    /// The label of the submit button; at most 256 bytes.
    public var actionLabel: String?
    /// The label of the exit button; at most 256 bytes.
    public var exitLabel: String?
    /// The questions, 1–50, with distinct ids.
    public var questions: [Question]

    /// Creates a poll with only its questions.
    public init(questions: [Question]) {
        self.questions = questions
    }

    /// A question.
    public struct Question: Sendable, Equatable {
        /// The id; 1–64 of `[A-Za-z0-9._:-]`.
        public var id: String
        /// The text; at most 1,024 bytes.
        public var title: String
        /// The number of choices that an answer may have.
        public var select: Selection
        /// The choices, 1–50, with distinct ids.
        public var choices: [Choice]

        /// Creates a question.
        public init(id: String, title: String, select: Selection = .one, choices: [Choice]) {
            self.id = id
            self.title = title
            self.select = select
            self.choices = choices
        }
    }

    /// The number of choices that an answer may have.
    public enum Selection: String, Sendable, CaseIterable {
        /// Exactly one.
        case one
        /// Any number, including none.
        case many
    }

    /// A choice of a question.
    public struct Choice: Sendable, Equatable {
        /// The id; 1–64 of `[A-Za-z0-9._:-]`.
        public var id: String
        /// The text; at most 1,024 bytes.
        public var title: String
        /// True if it is preselected.
        public var isDefault: Bool

        /// Creates a choice.
        public init(id: String, title: String, isDefault: Bool = false) {
            self.id = id
            self.title = title
            self.isDefault = isDefault
        }
    }
}

/// Bytes for the app itself: `content.data_push`.
public struct DataPush: Sendable, Equatable {
    /// The encoding of the body.
    public enum Encoding: String, Sendable, CaseIterable {
        /// UTF-8.
        case text
        /// RFC 4648, section 4, with padding.
        case base64
    }

    /// The encoding of the body.
    public var encoding: Encoding
    /// The body as the producer wrote it; may be empty.
    public var body: String
    /// The category, which selects a handler of the app; at most 64 bytes.
    public var category: String?

    /// Creates a data push, for the app's default handler or for that of a category.
    public init(encoding: Encoding, body: String, category: String? = nil) {
        self.encoding = encoding
        self.body = body
        self.category = category
    }
}
