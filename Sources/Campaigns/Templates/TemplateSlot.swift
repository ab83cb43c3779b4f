/// A place in a payload where each device's own text goes: a template's source, and how what it renders is written.
public struct TemplateSlot: Equatable, Sendable {
    /// Before which byte of the payload.
    public var at: UInt32
    /// How it is written there.
    public var form: Form
    /// The template, which compiles.
    public var source: String

    /// How what a template renders is written.
    public enum Form: UInt32, Sendable, CaseIterable {
        /// Within a JSON string.
        case text = 0
        /// As the member `badge`, with a comma before it; nothing when the template renders nothing.
        case badge = 1
        /// As the member `badge`, the first of its object.
        case firstBadge = 2
        /// Within a JSON string of a JSON text that is a string itself.
        case nestedText = 3
        /// As the member `notification_count`, with a comma before it; nothing when the template renders nothing.
        case notificationCount = 4

        /// The member that a whole number is written as, with its comma; nil for text.
        var member: StaticString? {
            switch self {
            case .text, .nestedText: nil
            case .badge: ",\"badge\":"
            case .firstBadge: "\"badge\":"
            case .notificationCount: ",\"notification_count\":"
            }
        }

        /// Whether a count is written, with the member around it.
        public var isCount: Bool { member != nil }

        /// Bytes of the member around a count; 0 for text.
        public var memberBytes: Int { member?.utf8CodeUnitCount ?? 0 }
    }

    /// A slot.
    public init(at: UInt32, form: Form = .text, source: String) {
        self.at = at
        self.form = form
        self.source = source
    }
}

/// What a campaign's content has for each device alone; empty for a campaign without templates.
public struct PersonalContent: Equatable, Sendable {
    /// The payload's, in order.
    public var slots: [TemplateSlot]
    /// The template of the collapse id; empty when that is a constant.
    public var collapseID: String

    /// No template, or these.
    public init(slots: [TemplateSlot] = [], collapseID: String = "") {
        self.slots = slots
        self.collapseID = collapseID
    }

    /// Whether all devices get the same.
    public var isEmpty: Bool { slots.isEmpty && collapseID.isEmpty }

    /// Whether the slots are in order and within a payload of that size, and none in its message id.
    func fits(payloadOf byteCount: Int, messageIDAt: UInt32?) -> Bool {
        guard zip(slots, slots.dropFirst()).allSatisfy({ $0.at <= $1.at }), Int(slots.last?.at ?? 0) <= byteCount else {
            return false
        }
        guard let place = messageIDAt else { return true }
        // Nor in the member around the id, which goes with it.
        let member = Int(place) - MessageIDPlace.opening.count + 1...Int(place) + MessageIDPlace.byteCount
        return !slots.contains { member.contains(Int($0.at)) }
    }
}
