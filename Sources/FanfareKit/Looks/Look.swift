public import Foundation

/// The content of a notification inside the app, an announcement, a poll or an in-app message, ready to be drawn.
///
/// It holds everything to show and every possible action; `LookStyle` says how to draw it in light or dark, at the
/// person's text size. A drawer makes no decisions.
///
///     titleLabel.text = look.title
///     for button in look.buttons { add(button.label, button.step) }
public struct Look: Sendable, Hashable, Identifiable {
    /// An id that is unique on the screen.
    public let id: String
    /// The kind of its content.
    public let kind: Kind
    /// The campaign's id, or the app's own name for a message that it made itself.
    public let campaign: String
    /// Its place and size.
    public let frame: Frame
    /// True if the app's icon is on it.
    public var hasIcon = false
    /// The image, a file of the phone or an address; nil for none.
    public var image: URL?
    /// True if the look consists of the image only.
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
    /// The questions of a poll.
    public var questions: [Poll.Question] = []
    /// The buttons, in reading order.
    public var buttons: [Button] = []
    /// The step of a tap outside buttons; nil for none.
    public var tap: Step?
    /// The step of the cross in its corner; nil for no cross.
    public var cross: Step?
    /// The accessibility label of the cross.
    public var crossLabel = ""
    /// True if a swipe towards its edge does what the cross does.
    public var isSwipedAway = false
    /// The direction of its texts, which its corners and the order of its buttons follow.
    public var direction = TextDirection.leftToRight

    /// The kind of content that a look shows.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case notification, announcement, poll, message
    }

    /// The place and size of a look on the screen.
    public enum Frame: Sendable, Hashable {
        /// A strip as high as its content, at this place; the app remains usable beside it.
        case slideup(NotificationPlace)
        /// A card as high as its content, in the middle, over a dimmed app.
        case modal
        /// The whole screen.
        case full
    }

    /// The effect of pressing, tapping or closing.
    public enum Step: Sendable, Hashable {
        /// Acts through the button of this id; nil for the look itself, or for the one button that acts.
        case action(String?)
        /// Sends the poll's answers, when there are any.
        case answer
        /// Leaves the look.
        case exit
    }

    /// The end of a look.
    public enum End: Sendable, Hashable {
        /// The person acted through the button of this id; nil for the look itself, or for the one button that acts.
        case actioned(String?)
        /// The person pressed a link of its page.
        case followed(String)
        /// The person answered a poll: the choices of each question, by their ids.
        case answered([String: [String]])
        /// The person left it, or its time was over.
        case exited
    }

    /// A button of a look.
    public struct Button: Sendable, Hashable, Identifiable {
        /// An id that is unique within the look.
        public let id: String
        /// The button's label.
        public let label: String
        /// The effect of pressing it.
        public let step: Step
        /// The emphasis of the button.
        public let weight: Weight
    }

    /// The emphasis of a button.
    public enum Weight: String, Sendable, Hashable, CaseIterable {
        /// The button that most people press.
        case first
        case plain
        /// A button whose effect cannot be undone.
        case destructive
    }

    /// The end that a step leads to; nil when the look stays, as for a poll without answers.
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

    /// Sets the direction of its texts, and the label of the cross in the person's language.
    mutating func read(in language: String) {
        direction = TextDirection(of: [title, subtitle, text] + questions.map(\.title), language: language)
        crossLabel = LookWords(language: language).close
    }
}
