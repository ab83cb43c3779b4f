/// Events of a campaign on a phone: what an event of each kind, surface and type carries, which of them the kit
/// says by itself, and where the report counts it (contract, section 5).
///
/// The edge, the report and the kit compile this one file, so that none of them knows an event that another does not.
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

    /// The place of an event: the system's notification, a message over the app, or the content itself.
    package enum Surface: String, Sendable, Hashable, Codable, CaseIterable {
        case system
        case inApp = "in_app"
        case content
    }

    /// The type of an event.
    package enum Event: String, Sendable, Hashable, Codable, CaseIterable {
        case received, displayed, opened, actioned, exited, dropped
    }

    /// How an event has one of its words.
    package enum Presence: Sendable {
        case required, allowed, forbidden
    }

    /// The rules of one event.
    package struct Row: Sendable {
        /// The button; what acts without one says `action`.
        package let action: Presence
        /// Why it was not shown.
        package let reason: Presence
        /// True when the kit says it; the edge takes it from other clients besides.
        package let isSaidByKit: Bool
        /// The member of the report, beside the count of devices, that has the buttons or the reasons; nil for none.
        package let words: String?
    }

    /// The rules of an event; the edge takes every type on every surface, as a phone knows best what it showed.
    package static func row(_ kind: Kind, _ surface: Surface, _ event: Event) -> Row {
        Row(
            action: action(of: event),
            reason: reason(of: event),
            isSaidByKit: saidByKit(kind, surface).contains(event),
            words: words(of: event)
        )
    }

    /// The presence of a button: the same for every kind, as the edge reads events without asking for it.
    package static func action(of event: Event) -> Presence { event == .actioned ? .required : .forbidden }

    /// The presence of a reason.
    package static func reason(of event: Event) -> Presence { event == .dropped ? .allowed : .forbidden }

    /// The member of the report that has an event's buttons or reasons; nil for none.
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
        // A handler takes it, declines it, or is not there.
        case (.dataPush, .content): [.actioned, .exited, .dropped]
        case (.dataPush, .inApp), (.native, .inApp), (.notification, .content), (.native, .content),
            (.inApp, .content):
            []
        }
    }
}
