/// The events of a campaign on a phone, by kind, surface and type (contract, section 5).
///
/// For each event the table has its members, the part of the report that counts it, and a flag if the kit reports it by
/// itself. The edge, the report and the kit compile this one file, so that all of them know the same events.
package enum EventTable {
    /// The campaign's kind.
    package enum Kind: String, Sendable, CaseIterable {
        case notification
        case announcement
        case poll
        case dataPush = "data_push"
        case native
        case inApp = "in_app"
    }

    /// The surface of an event: the system's notification, a message over the app, or the content itself.
    package enum Surface: String, Sendable, Hashable, Codable, CaseIterable {
        case system
        case inApp = "in_app"
        case content
    }

    /// The type of an event.
    package enum Event: String, Sendable, Hashable, Codable, CaseIterable {
        case received, displayed, opened, actioned, exited, dropped
    }

    /// The presence of a member in an event.
    package enum Presence: Sendable {
        case required, allowed, forbidden
    }

    /// The rules of one event.
    package struct Row: Sendable {
        /// The presence of a button; an action without one reports `action`.
        package let action: Presence
        /// The presence of a reason for a drop.
        package let reason: Presence
        /// True if the kit reports it; the edge accepts it from other clients too.
        package let isSaidByKit: Bool
        /// The member of the report with the buttons or the reasons, beside the count of devices; nil for none.
        package let words: String?
    }

    /// Returns the rules of an event; the edge accepts every type on every surface, since a phone knows best what it
    /// showed.
    package static func row(_ kind: Kind, _ surface: Surface, _ event: Event) -> Row {
        Row(
            action: action(of: event),
            reason: reason(of: event),
            isSaidByKit: saidByKit(kind, surface).contains(event),
            words: words(of: event)
        )
    }

    /// Returns the presence of a button, the same for every kind, because the edge does not know the kind.
    package static func action(of event: Event) -> Presence { event == .actioned ? .required : .forbidden }

    /// Returns the presence of a reason.
    package static func reason(of event: Event) -> Presence { event == .dropped ? .allowed : .forbidden }

    /// Returns the member of the report with an event's buttons or reasons; nil for none.
    package static func words(of event: Event) -> String? {
        switch event {
        case .actioned: "actions"
        case .dropped: "reasons"
        case .received, .displayed, .opened, .exited: nil
        }
    }

    private static func saidByKit(_ kind: Kind, _ surface: Surface) -> Set<Event> {
        switch (kind, surface) {
        // No push is sent.
        case (.inApp, .system): []
        case (_, .system): [.received, .displayed, .opened, .actioned, .exited]
        case (.inApp, .inApp): [.displayed, .opened, .actioned, .exited, .dropped]
        case (.notification, .inApp), (.announcement, .inApp), (.poll, .inApp):
            [.displayed, .actioned, .exited, .dropped]
        case (.announcement, .content), (.poll, .content): [.displayed, .actioned, .exited, .dropped]
        // A handler accepts it, rejects it, or does not exist.
        case (.dataPush, .content): [.actioned, .exited, .dropped]
        case (.dataPush, .inApp), (.native, .inApp), (.notification, .content), (.native, .content),
            (.inApp, .content):
            []
        }
    }
}
