/// Content that a push names and that the app fetches: `content.rich`.
public struct RichReference: Sendable, Equatable {
    /// What the app does with it, in its own words; 1–64 of `[A-Za-z0-9._:-]`.
    public var type: String
    /// The id of a stored content of the app; 1–128 of `[A-Za-z0-9._:-]`.
    public var id: String
    /// Text that the app shows of it when it tells of it itself, as after a silent push; at most 1,024 bytes.
    public var message: String?

    /// A reference.
    public init(type: String, id: String, message: String? = nil) {
        self.type = type
        self.id = id
        self.message = message
    }
}

/// A page with a button that acts and one that leaves: `content.announcement`.
public struct Announcement: Sendable, Equatable {
    /// How its body is written.
    public enum Format: String, Sendable, CaseIterable {
        /// Plain text.
        case text
        /// A page; the app shows it without its title.
        case html
    }

    /// How the body is written.
    public var format: Format
    /// At most 1,024 bytes.
    public var title: String?
    /// At most 256 KiB.
    public var body: String
    /// What the button that acts says, at most 256 bytes; nil: what the app's own layout says.
    public var actionLabel: String?
    /// What it opens; at most 2,048 bytes.
    public var actionURL: String?
    /// What the button that leaves says, at most 256 bytes; nil: what the app's own layout says.
    public var exitLabel: String?

    /// A page with nothing around it.
    public init(format: Format, body: String) {
        self.format = format
        self.body = body
    }
}

/// Questions with choices: `content.poll`.
public struct Poll: Sendable, Equatable {
    /// At most 1,024 bytes.
    public var title: String?
    /// What stands above the questions; at most 16 KiB.
    public var body: String?
    /// What the button that submits says; at most 256 bytes.
    public var actionLabel: String?
    /// What the button that leaves says; at most 256 bytes.
    public var exitLabel: String?
    /// 1–50, their ids different.
    public var questions: [Question]

    /// Questions with nothing around them.
    public init(questions: [Question]) {
        self.questions = questions
    }

    /// One question.
    public struct Question: Sendable, Equatable {
        /// 1–64 of `[A-Za-z0-9._:-]`.
        public var id: String
        /// At most 1,024 bytes.
        public var title: String
        /// Whether one choice is taken, or any number.
        public var select: Selection
        /// 1–50, their ids different.
        public var choices: [Choice]

        /// A question.
        public init(id: String, title: String, select: Selection = .one, choices: [Choice]) {
            self.id = id
            self.title = title
            self.select = select
            self.choices = choices
        }
    }

    /// How many choices of a question count.
    public enum Selection: String, Sendable, CaseIterable {
        /// Exactly one.
        case one
        /// None to all.
        case many
    }

    /// One choice of a question.
    public struct Choice: Sendable, Equatable {
        /// 1–64 of `[A-Za-z0-9._:-]`.
        public var id: String
        /// At most 1,024 bytes.
        public var title: String
        /// Whether it is chosen before the person does anything.
        public var isDefault: Bool

        /// A choice.
        public init(id: String, title: String, isDefault: Bool = false) {
            self.id = id
            self.title = title
            self.isDefault = isDefault
        }
    }
}

/// Bytes for the app itself: `content.data_push`.
public struct DataPush: Sendable, Equatable {
    /// How the body stands for its bytes.
    public enum Encoding: String, Sendable, CaseIterable {
        /// UTF-8.
        case text
        /// RFC 4648, section 4, with padding.
        case base64
    }

    /// How the body stands for its bytes.
    public var encoding: Encoding
    /// As the producer wrote it; may be empty.
    public var body: String
    /// Which of the app's handlers takes it; at most 64 bytes.
    public var category: String?

    /// Bytes for the app's handler without a category, or for one.
    public init(encoding: Encoding, body: String, category: String? = nil) {
        self.encoding = encoding
        self.body = body
        self.category = category
    }
}
