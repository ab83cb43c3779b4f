/// A position in a payload for each device's own text: a template's source, and the form of its output.
public struct TemplatePlaceholder: Equatable, Sendable {
    /// The offset in the payload before which it is inserted.
    public var at: UInt32
    /// The form of the output.
    public var form: Form
    /// The template, which must compile.
    public var source: String

    /// The form of a template's output.
    public enum Form: UInt32, Sendable, CaseIterable {
        /// Within a JSON string.
        case text = 0
        /// The member `badge`, after a comma; nothing if the output is empty.
        case badge = 1
        /// The member `badge`, the first of its object.
        case firstBadge = 2
        /// Within a JSON string of a JSON text that is itself a string.
        case nestedText = 3
        /// The member `notification_count`, after a comma; nothing if the output is empty.
        case notificationCount = 4

        /// The text before an integer, with the member's name and its comma; nil for text.
        var member: StaticString? {
            switch self {
            case .text, .nestedText: nil
            case .badge: ",\"badge\":"
            case .firstBadge: "\"badge\":"
            case .notificationCount: ",\"notification_count\":"
            }
        }

        /// True if the output is a count, written as a member.
        public var isCount: Bool { member != nil }

        /// The length of the text before a count, in bytes; 0 for text.
        public var memberBytes: Int { member?.utf8CodeUnitCount ?? 0 }
    }

    /// Creates a position with its template.
    public init(at: UInt32, form: Form = .text, source: String) {
        self.at = at
        self.form = form
        self.source = source
    }
}

/// The templates of a campaign's content; empty for a campaign without any.
public struct PersonalContent: Equatable, Sendable {
    /// The payload's templates, in order.
    public var placeholders: [TemplatePlaceholder]
    /// The template of the collapse id; empty if the id is constant.
    public var collapseID: String

    /// Creates content with the given templates, or without any.
    public init(placeholders: [TemplatePlaceholder] = [], collapseID: String = "") {
        self.placeholders = placeholders
        self.collapseID = collapseID
    }

    /// True if all devices get the same content.
    public var isEmpty: Bool { placeholders.isEmpty && collapseID.isEmpty }

    /// Returns true if the templates are in order, within a payload of that size, and none is inside the message id.
    func fits(payloadOf byteCount: Int, messageIDAt: UInt32?) -> Bool {
        guard zip(placeholders, placeholders.dropFirst()).allSatisfy({ $0.at <= $1.at }),
            Int(placeholders.last?.at ?? 0) <= byteCount
        else {
            return false
        }
        guard let offset = messageIDAt else { return true }
        // None may be in the member around the id either, which is removed together with it.
        let member = Int(offset) - MessageIDPlaceholder.opening.count + 1...Int(offset) + MessageIDPlaceholder.byteCount
        return !placeholders.contains { member.contains(Int($0.at)) }
    }
}
