import Foundation

/// A person's response to a notification, or an event of a push, with its consequences; no I/O.
enum PushResponse: Equatable {
    /// The push arrived, while the app runs or in its extension.
    case received
    /// The system shows it while the app is in front.
    case displayed
    /// The notification itself was tapped.
    case opened
    /// A button was pressed.
    case action(String)
    /// The notification was swiped away.
    case dismissed

    /// The consequences of a response.
    struct Consequences: Equatable {
        /// The events, in their order.
        var events: [(kind: TrackedEvent.Kind, action: String?)] = []
        /// The link to open.
        var link: String?
        /// True if in-app messages treat it as a push click.
        var isClick = false

        static func == (left: Consequences, right: Consequences) -> Bool {
            left.link == right.link && left.isClick == right.isClick
                && left.events.map(\.kind) == right.events.map(\.kind)
                && left.events.map(\.action) == right.events.map(\.action)
        }
    }

    /// The consequences for a push whose category has these buttons.
    func consequences(of push: PushMessage, categories: [ActionCategory]) -> Consequences {
        switch self {
        case .received: return Consequences(events: [(.received, nil)])
        case .displayed: return Consequences(events: [(.displayed, nil)])
        case .opened: return Consequences(events: [(.opened, nil)], link: push.link, isClick: true)
        case .dismissed: return Consequences(events: [(.exited, nil)])
        case .action(let id):
            let category = categories.first { $0.id == push.category }
            // The app itself drew an undeclared button, so the app is in front.
            let opensApp = category?.actions.first { $0.id == id }?.opensApp ?? true
            return Consequences(
                events: [(.actioned, id)],
                link: opensApp ? push.actionLinks[id] ?? push.link : nil,
                isClick: opensApp
            )
        }
    }
}
