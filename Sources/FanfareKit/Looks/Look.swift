public import Foundation

/// Content of a notification inside the app, an announcement, a poll or an in-app message, ready to be drawn.
///
/// Everything that is on it and everything that can be done to it is here; `LookStyle` says how that is drawn in light or
/// dark, at the person's size of text. A drawer decides nothing.
///
///     titleLabel.text = look.title
///     for button in look.buttons { add(button.label, button.step) }
public struct Look: Sendable, Hashable, Identifiable {
    /// A name that tells it from all others on the screen.
    public let id: String
    /// The kind of its content.
    public let kind: Kind
    /// The campaign, or the app's own name of a message that it made itself.
    public let campaign: String
    /// Its place and size.
    public let frame: Frame
    /// True when the app's icon is on it.
    public var hasIcon = false
    /// An image: a file of the phone, or an address.
    public var image: URL?
    /// True when the image is all there is.
    public var isImageOnly = false
    /// The first line; nil for none.
    public var title: String?
    /// The second line; nil for none.
    public var subtitle: String?
    /// The text; nil for none.
    public var text: String?
    /// A page of HTML in place of the texts; nil for none.
    public var html: String?
    /// The folder with the files of the page; nil for none.
    public var folder: URL?
    /// Questions of a poll.
    public var questions: [Poll.Question] = []
    /// Buttons, in the order in which they are read.
    public var buttons: [Button] = []
    /// The step of a tap on all the rest of it; nil for none.
    public var tap: Step?
    /// The step of the cross in its corner; nil: there is none.
    public var cross: Step?
    /// The cross's label for people who do not see it.
    public var crossLabel = ""
    /// True when a swipe towards its edge does what the cross does.
    public var isSwipedAway = false
    /// Which way it is read; its corners and the order of its buttons follow.
    public var direction = TextDirection.leftToRight

    /// The content that a look is of.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case notification, announcement, poll, message
    }

    /// The place and size of a look on the screen.
    public enum Frame: Sendable, Hashable {
        /// As high as its content, at this place; the app stays in use beside it.
        case slideup(NotificationPlace)
        /// As high as its content, in the middle, over an app that is dimmed.
        case modal
        /// The whole screen.
        case full
    }

    /// The effect of pressing, tapping or closing.
    public enum Step: Sendable, Hashable {
        /// It is acted on, by the button of this id; nil: by itself, or by the one button that acts.
        case action(String?)
        /// The poll's answers are sent, when there are any.
        case answer
        /// It is left.
        case exit
    }

    /// How it ended.
    public enum End: Sendable, Hashable {
        /// It was acted on, by the button of this id; nil: by itself, or by the one button that acts.
        case actioned(String?)
        /// A link of its page was pressed.
        case followed(String)
        /// A poll was answered: the choices of each question, by their ids.
        case answered([String: [String]])
        /// The person left it, or its time was over.
        case exited
    }

    /// A button.
    public struct Button: Sendable, Hashable, Identifiable {
        /// A name that tells it from the others of the look.
        public let id: String
        /// The text on it.
        public let label: String
        /// The effect of pressing it.
        public let step: Step
        /// How much it stands out.
        public let weight: Weight
    }

    /// How much a button stands out.
    public enum Weight: String, Sendable, Hashable, CaseIterable {
        /// The one that most people press.
        case first
        case plain
        /// Its effect cannot be taken back.
        case destructive
    }

    /// The end that a step leads to; nil: a poll that is answered with nothing stays.
    ///
    ///     if let over = look.end(of: button.step, form) { end(over) }
    public func end(of step: Step, _ form: PollForm) -> End? {
        switch step {
        case .action(let button): .actioned(button)
        case .answer: form.answers.isEmpty ? nil : .answered(form.answers)
        case .exit: .exited
        }
    }

    init(_ kind: Kind, _ campaign: String, _ frame: Frame) {
        id = "\(kind.rawValue) \(campaign)"
        (self.kind, self.campaign, self.frame) = (kind, campaign, frame)
    }

    /// Reads which way its texts go, and names the cross in the person's language.
    mutating func read(in language: String) {
        direction = TextDirection(of: [title, subtitle, text] + questions.map(\.title), language: language)
        crossLabel = LookWords(language: language).close
    }
}
