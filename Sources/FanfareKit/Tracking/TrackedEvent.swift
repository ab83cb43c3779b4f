import Foundation

/// An event of a push or a message on this phone, in the form that the server gets.
struct TrackedEvent: Codable, Sendable, Hashable {
    /// The id that makes sending the event again harmless.
    let id: UUID
    /// The signed id that the push carried.
    let messageID: String
    let type: Kind
    let surface: Surface
    /// The button's id; nil for none.
    var action: String?
    /// The reason for dropping the push or message.
    var reason: String?
    let at: Date

    typealias Kind = EventTable.Event
    /// The place of the event: a tap on a notification and an action on its announcement are two events.
    typealias Surface = EventTable.Surface

    enum CodingKeys: String, CodingKey {
        case id, type, surface, action, reason, at
        case messageID = "m"
    }
}

extension TrackedEvent {
    /// The action name in an event without a button of its own: a page's action button, the notification itself, a
    /// handler.
    static let plainAction = "action"

    /// Creates an event as the table has it, with the fields of its type and nothing else.
    ///
    /// Returns nil when campaigns of this kind have no such event.
    init?(
        _ type: Kind,
        _ surface: Surface,
        of kind: PushMessage.Kind,
        messageID: String,
        action: String? = nil,
        reason: String? = nil,
        at: Date
    ) {
        let row = EventTable.row(kind.listed, surface, type)
        guard row.isSaidByKit else { return nil }
        self.init(id: UUID(), messageID: messageID, type: type, surface: surface, at: at)
        self.action = Self.word(action, row.action, otherwise: Self.plainAction)
        self.reason = Self.word(reason, row.reason, otherwise: "-")
    }

    private static func word(_ text: String?, _ presence: EventTable.Presence, otherwise: String) -> String? {
        switch presence {
        case .required: detail(text ?? otherwise)
        case .allowed: text.map(detail)
        case .forbidden: nil
        }
    }

    /// The most bytes that the server takes for a button or a reason.
    static let detailBytesMax = 64

    /// Returns a button or a reason in the form that the server takes: without control characters, and cut to its
    /// length.
    static func detail(_ text: String) -> String {
        var (result, bytes) = ("", 0)
        for scalar in text.unicodeScalars where scalar.value >= 0x20 && scalar.value != 0x7F {
            bytes += String(scalar).utf8.count
            if bytes > detailBytesMax { break }
            result.unicodeScalars.append(scalar)
        }
        return result.isEmpty ? "-" : result
    }

    /// Encodes a line of the journal or an element of a request, with instants as RFC 3339 with milliseconds.
    static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(InstantText.text(date))
        }
        return encoder
    }()

    static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            guard let date = InstantText.date(try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an instant")
            }
            return date
        }
        return decoder
    }()
}

extension PushMessage.Kind {
    /// The kind as the table has it.
    var listed: EventTable.Kind {
        switch self {
        case .notification: .notification
        case .announcement: .announcement
        case .poll: .poll
        case .dataPush: .dataPush
        case .native: .native
        case .inApp: .inApp
        }
    }
}
