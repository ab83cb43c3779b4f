import Campaigns
import FanfareKit
import Foundation

extension PhoneLine {
    /// Draws a look in the terminal: its elements in their order, and any unusual style.
    ///
    /// `media` is the notification's attachment, which need not be an image.
    init(_ look: Look, _ style: LookStyle, media: URL?) {
        let texts = [look.title, look.subtitle, look.text ?? look.html].compactMap(\.self)
        let questions = look.questions.map { question in
            "\n  \(question.id) \"\(question.title)\": \(Self.choices(question))"
                + (question.isMultiple ? " (several)" : "")
        }
        self.init(
            Self.name(look),
            "\(Self.heading(look)):" + texts.map { " \"\($0)\"" }.joined()
                + look.buttons.map { " [\(Self.label($0))]" }.joined() + Self.media(media ?? look.image)
                + Self.notes(look, style) + questions.joined(),
            Self.members(look, style, media)
        )
    }

    private static func name(_ look: Look) -> String {
        switch look.kind {
        case .notification: "banner"
        case .announcement, .poll: "campaign"
        case .message: "message"
        }
    }

    private static func heading(_ look: Look) -> String {
        switch look.kind {
        case .notification: "in-app notification (\(place(look) ?? ""))"
        case .announcement, .poll: look.kind.rawValue
        case .message: "in-app message (\(layout(look)))"
        }
    }

    private static func place(_ look: Look) -> String? {
        guard case .slideup(let place) = look.frame else { return nil }
        return switch place {
        case .overlay(let position): position.rawValue
        case .area(let name): "in \(name)"
        }
    }

    private static func layout(_ look: Look) -> String {
        switch look.frame {
        case .slideup: "slideup"
        case .modal: "modal"
        case .full: look.html == nil ? "full" : "html"
        }
    }

    private static func label(_ button: Look.Button) -> String {
        switch button.step {
        case .action(nil), .answer: "action: \"\(button.label)\""
        case .action(let id?): "\(id) \"\(button.label)\""
        case .exit: "leave: \"\(button.label)\""
        }
    }

    private static func choices(_ question: FanfareKit.Poll.Question) -> String {
        let form = FanfareKit.PollForm([question])
        return question.choices.map { choice in
            "\(choice.id) \"\(choice.title)\"" + (form.isTaken(choice.id, of: question.id) ? " (taken)" : "")
        }.joined(separator: ", ")
    }

    private static func notes(_ look: Look, _ style: LookStyle) -> String {
        var notes: [String] = []
        if look.direction == .rightToLeft { notes.append("right to left") }
        if style.palette == .dark { notes.append("dark") }
        if style.hasStackedButtons, look.buttons.count > 1 { notes.append("buttons below each other") }
        return notes.map { " (\($0))" }.joined()
    }

    private static func members(
        _ look: Look,
        _ style: LookStyle,
        _ media: URL?
    ) -> KeyValuePairs<String, JSONValue?> {
        let (title, text) = (look.title.map(JSONValue.string), (look.text ?? look.html).map(JSONValue.string))
        let ids = JSONValue.array(look.buttons.map { .string($0.id) })
        let (direction, isDark) = (JSONValue.string(look.direction.rawValue), JSONValue.bool(style.palette == .dark))
        return switch look.kind {
        case .notification:
            [
                "campaign": .string(look.campaign), "place": place(look).map(JSONValue.string), "title": title,
                "body": text, "buttons": ids, "media": media.map { .string($0.absoluteString) },
                "direction": direction, "dark": isDark,
            ]
        case .announcement, .poll:
            [
                "kind": .string(look.kind.rawValue), "campaign": .string(look.campaign), "title": title, "body": text,
                "questions": look.kind == .poll ? .array(look.questions.map { .string($0.id) }) : nil,
                "buttons": .array(look.buttons.map { .string($0.label) }), "direction": direction, "dark": isDark,
            ]
        case .message:
            [
                "image": look.image.map { .string($0.absoluteString) }, "campaign": .string(look.campaign),
                "layout": .string(layout(look)), "header": title, "message": text, "buttons": ids,
                "direction": direction, "dark": isDark,
            ]
        }
    }
}
