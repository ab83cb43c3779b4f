import Foundation

/// Something that happened to a push or a message on this phone, as the server is told of it.
struct TrackedEvent: Codable, Sendable, Hashable {
    /// What makes sending it again harmless.
    let id: UUID
    /// The signed id that the push carried.
    let messageID: String
    let type: Kind
    let surface: Surface
    /// The button, when there was one.
    var action: String?
    /// Why it was dropped.
    var reason: String?
    let at: Date

    typealias Kind = EventTable.Event
    /// Where it happened: a notification that was tapped and an announcement that was acted on are two things.
    typealias Surface = EventTable.Surface

    enum CodingKeys: String, CodingKey {
        case id, type, surface, action, reason, at
        case messageID = "m"
    }
}

extension TrackedEvent {
    /// The name in an event that acts without a button: the button of a page, the notification itself, a handler.
    static let plainAction = "action"

    /// An event as the table has it: with what its type carries, and nothing else.
    ///
    /// nil: such a thing is not said of campaigns of that kind.
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

    /// Bytes of a button or a reason that the server takes at most.
    static let detailBytesMax = 64

    /// A button or a reason as the server takes it: no control characters, and what is too long is cut off.
    static func detail(_ text: String) -> String {
        var (result, bytes) = ("", 0)
        for scalar in text.unicodeScalars where scalar.value >= 0x20 && scalar.value != 0x7F {
            bytes += String(scalar).utf8.count
            if bytes > detailBytesMax { break }
            result.unicodeScalars.append(scalar)
        }
        return result.isEmpty ? "-" : result
    }

    /// One line of the journal, and an element of a request: instants as RFC 3339 with milliseconds.
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
