/// The body of `POST /v1/tracking`, validated on its own; message ids are not verified yet.
public struct TrackingRequest: Sendable {
    /// The maximum number of events in a request.
    public static let eventsMax = 500
    /// The maximum size of a body, in bytes.
    public static let bytesMax = 256 * 1024

    /// An event with its message id as sent.
    public struct Entry: Hashable, Sendable {
        /// The index in the body, with which the pointers of problems begin.
        public var index: Int
        /// The event's own id in lower case; each id counts once.
        public var id: String
        /// The signed message id.
        public var messageID: String
        /// The type.
        public var type: TrackedType
        /// The surface.
        public var surface: TrackedSurface
        /// The button, or the reason of a drop.
        public var detail: String
        /// The instant, corrected by ``TrackingTimes``.
        public var at: Timestamp
    }

    /// The events, without duplicate ids.
    public let events: [Entry]
    /// All problems; if there are any, no event may be used.
    public let problems: [Problem]

    static let fields = FieldList("the request", ["events"])
    static let eventFields = FieldList(
        "an event",
        ["id", "m", "type", "surface", "action", "reason", "at"]
    )

    /// Decodes a body; pure, linear in its size.
    public init(_ body: [UInt8], now: Timestamp) {
        let reading = JSONReader.read(body, limits: JSONReader.Limits(bytesMax: Self.bytesMax, depthMax: 4))
        let log = ProblemLog(reading.problems)
        events = reading.value.map { Self.events($0, now, log) } ?? []
        problems = log.all
    }

    private static func events(_ value: JSONValue, _ now: Timestamp, _ log: ProblemLog) -> [Entry] {
        guard let reader = ObjectReader(value, at: .root, fields, log) else { return [] }
        let location = JSONPointer.root.appending("events")
        guard let elements = reader.array("events", countMax: eventsMax) else {
            if !reader.has("events") { log.refuse(.required, at: location, "events is missing", fix: "send a list") }
            return []
        }
        if elements.isEmpty { log.refuse(.empty, at: location, "events is empty", fix: "send nothing at all") }
        var seen: Set<String> = []
        var result: [Entry] = []
        result.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            guard let entry = entry(element, index, location.appending(index), now, log) else { continue }
            if elements.count == 1 || seen.insert(entry.id).inserted { result.append(entry) }
        }
        return result
    }

    private static func entry(
        _ value: JSONValue,
        _ index: Int,
        _ location: JSONPointer,
        _ now: Timestamp,
        _ log: ProblemLog
    ) -> Entry? {
        guard let reader = ObjectReader(value, at: location, eventFields, log) else { return nil }
        let id = required("id", reader, log)
        if let id, !isUUID(id) {
            log.refuse(.format, at: location.appending("id"), "id is not a UUID", fix: "make a new UUID for each event")
        }
        let messageID = required("m", reader, log)
        if let messageID, messageID.utf8.count != MessageIDPlaceholder.byteCount {
            let fix = "send fanfare.m of the push as it came"
            log.refuse(.format, at: location.appending("m"), "m is not a message id of 22 characters", fix: fix)
        }
        if !reader.has("type") { log.refuse(.required, at: location.appending("type"), "type is missing") }
        let type = reader.choice("type", among: TrackedType.words).flatMap(TrackedType.init(word:))
        let surface =
            reader.choice("surface", among: TrackedSurface.words).flatMap(TrackedSurface.init(word:)) ?? .system
        if !reader.has("at") { log.refuse(.required, at: location.appending("at"), "at is missing") }
        let at = reader.instant("at")
        let (action, reason) = (
            detail("action", EventTable.action, type, reader), detail("reason", EventTable.reason, type, reader)
        )
        guard let id, let messageID, let type, let at else { return nil }
        return Entry(
            index: index,
            id: id.lowercased(),
            messageID: messageID,
            type: type,
            surface: surface,
            detail: action ?? reason ?? "",
            at: TrackingTimes.believed(at, now: now)
        )
    }

    /// Reads a member that only some types of event have, according to the table; null counts as absent.
    private static func detail(
        _ name: String,
        _ presence: (EventTable.Event) -> EventTable.Presence,
        _ type: TrackedType?,
        _ reader: ObjectReader
    ) -> String? {
        let location = reader.pointer.appending(name)
        guard reader.has(name), reader.value(name, isNullable: true) != .null else {
            if let type, presence(type.event) == .required {
                let fix = "name the button that was pressed"
                reader.log.refuse(.required, at: location, "\(type.word) needs an \(name)", fix: fix)
            }
            return nil
        }
        let text = reader.text(name, bytesMax: TrackingEvent.detailBytesMax)
        if let type, presence(type.event) == .forbidden {
            let owners = EventTable.Event.allCases.filter { presence($0) != .forbidden }.map(\.rawValue)
            let detail = "only \(owners.joined(separator: " and ")) has \(name)"
            reader.log.refuse(.conflict, at: location, detail, fix: "leave it out")
        }
        if let text, !text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) {
            reader.log.refuse(.format, at: location, "\(name) has a control character")
            return nil
        }
        return text
    }

    static func required(_ name: String, _ reader: ObjectReader, _ log: ProblemLog) -> String? {
        let location = reader.pointer.appending(name)
        if !reader.has(name) { log.refuse(.required, at: location, "\(name) is missing") }
        return reader.text(name, bytesMax: 64)
    }

    /// Returns true for a UUID (RFC 9562, section 4): 8-4-4-4-12 hexadecimal digits.
    static func isUUID(_ text: String) -> Bool {
        let bytes = text.utf8
        guard bytes.count == 36 else { return false }
        for (index, byte) in bytes.enumerated() {
            if [8, 13, 18, 23].contains(index) {
                guard byte == UInt8(ascii: "-") else { return false }
            } else {
                let isLetter = (65...70).contains(byte & 0xDF)
                guard (48...57).contains(byte) || isLetter else { return false }
            }
        }
        return true
    }
}
