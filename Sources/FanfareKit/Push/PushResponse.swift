import Foundation

/// What a person did with a notification, or the system with a push, and what follows; no I/O.
enum PushResponse: Equatable {
    /// It came, while the app runs or in its extension.
    case received
    /// It is shown by the system while the app is in front.
    case displayed
    /// The notification itself was tapped.
    case opened
    /// A button was pressed.
    case action(String)
    /// It was swiped away.
    case dismissed

    /// What follows.
    struct Consequences: Equatable {
        /// Events, in their order.
        var events: [(kind: TrackedEvent.Kind, action: String?)] = []
        /// What is to be opened.
        var link: String?
        /// What the in-app messages hear.
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
            // A button that nobody declared was drawn by the app itself, which is in front then.
            let opensApp = category?.actions.first { $0.id == id }?.opensApp ?? true
            return Consequences(
                events: [(.actioned, id)],
                link: opensApp ? push.actionLinks[id] ?? push.link : nil,
                isClick: opensApp
            )
        }
    }
}
