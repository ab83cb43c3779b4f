import Campaigns
import FanfareKit
import Foundation
import Operations

/// An event that a person sees or the kit reports, as a line for people and one for programs.
struct PhoneLine {
    /// The event in a word.
    let name: String
    let text: String
    let members: [JSONMember]

    init(_ name: String, _ text: String, _ members: KeyValuePairs<String, JSONValue?> = [:]) {
        self.name = name
        self.text = text
        self.members = members.compactMap { name, value in value.map { JSONMember(name, $0) } }
    }

    /// Writes the line to standard output.
    func write(isJSON: Bool) {
        let json = JSONValue.object([JSONMember("what", .string(name))] + members)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { TerminalText.safe(String($0)) }
        Terminal.write((isJSON ? json.text : lines.joined(separator: "\n")) + "\n")
    }
}

extension PhoneLine {
    /// Reports the result of a registration.
    init(_ result: RegistrationResult) {
        let reason = [result.reason, result.pointer.map { "at \($0)" }].compactMap(\.self).joined(separator: ", ")
        self.init(
            "registration",
            "registration: \(result.status.rawValue)" + (reason.isEmpty ? "" : " (\(reason))"),
            [
                "status": .string(result.status.rawValue), "reason": result.reason.map(JSONValue.string),
                "pointer": result.pointer.map(JSONValue.string),
            ]
        )
    }

    /// Reports a notification on the screen; `push` is nil for one that is not Fanfare's.
    init(_ notification: PhoneScreen.Notification, _ push: PushMessage?) {
        let buttons = push?.buttons ?? []
        let (title, body) = (notification.own?.title ?? push?.title, notification.own?.body ?? push?.body)
        let texts = [title, body].compactMap(\.self).map { "\"\($0)\"" }.joined(separator: " ")
        self.init(
            "notification",
            "notification \(notification.number): \(push == nil ? "not of Fanfare" : texts)"
                + buttons.map { " [\($0)]" }.joined() + Self.media(push?.media),
            [
                "media": push?.media.map { .string($0.absoluteString) },
                "number": .number(JSONNumber(notification.number)), "campaign": push.map { .string($0.campaign) },
                "title": title.map(JSONValue.string), "body": body.map(JSONValue.string),
                "buttons": .array(buttons.map(JSONValue.string)),
            ]
        )
    }

    /// Reports an event that triggered no in-app message.
    init(_ event: AppEvent) {
        let name =
            switch event.kind {
            case .custom(let name): name
            case .purchase(let product): "the purchase of \(product)"
            case .pushClick(let campaign): "the click on \(campaign)"
            case .sessionStart: "the start of a session"
            }
        self.init("no_trigger", "no in-app message is for \(name)", ["event": .string(name)])
    }

    static func media(_ address: URL?) -> String { address.map { " [media: \($0.absoluteString)]" } ?? "" }

    /// Reports the content that a push names.
    init(_ state: RichContentState, of push: PushMessage) {
        let text =
            switch state {
            case .fetching: "is being fetched"
            case .ready(let content): "is there: \(content.contentType), \(content.data.count) bytes"
            case .failed(let problem): "cannot be had: \(problem)"
            }
        self.init(
            "content",
            "the content of \(push.campaign) \(text)",
            ["campaign": .string(push.campaign), "state": .string(text)]
        )
    }
}

extension PushMessage {
    /// The ids of the notification's buttons.
    var buttons: [String] {
        let known = ActionCategory.standard.first { $0.id == category }?.actions.map(\.id) ?? []
        return known + actionLinks.keys.sorted().filter { !known.contains($0) }
    }
}
