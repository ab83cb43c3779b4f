/// One request as it came over the wire, in a reused buffer.
struct ProviderRequest {
    /// The header fields that any of the providers reads.
    enum Field: Int, CaseIterable {
        case method
        case path
        case authority
        case authorization
        case contentType
        case contentEncoding
        case topic
        case pushType
        case id
        case expiration
        case priority
        case collapseID
        case channelID
        case requestID
        case ttl
        case urgency
        case webPushTopic

        /// The name on the wire.
        var name: StaticString {
            switch self {
            case .method: ":method"
            case .path: ":path"
            case .authority: ":authority"
            case .authorization: "authorization"
            case .contentType: "content-type"
            case .contentEncoding: "content-encoding"
            case .topic: "apns-topic"
            case .pushType: "apns-push-type"
            case .id: "apns-id"
            case .expiration: "apns-expiration"
            case .priority: "apns-priority"
            case .collapseID: "apns-collapse-id"
            case .channelID: "apns-channel-id"
            case .requestID: "apns-request-id"
            case .ttl: "ttl"
            case .urgency: "urgency"
            case .webPushTopic: "topic"
            }
        }
    }

    /// The body bytes that are kept.
    ///
    /// More bytes are only counted, because the request is refused as too large.
    let bodyBytesKept: Int

    /// All field values, concatenated.
    private var fieldBytes: [UInt8] = []
    /// The start and end of each field's value in `fieldBytes`; a start of -1 is an absent field.
    private var ranges: [(start: Int, end: Int)] = Array(repeating: (-1, -1), count: Field.allCases.count)
    /// The kept part of the body.
    private(set) var body: [UInt8] = []
    /// The number of body bytes received.
    private(set) var bodyBytes = 0
    /// True if a field that some provider reads came twice.
    private(set) var hasDuplicates = false

    init(bodyBytesKept: Int) {
        self.bodyBytesKept = bodyBytesKept
    }

    /// Empties the buffer but keeps its memory.
    mutating func reset() {
        fieldBytes.removeAll(keepingCapacity: true)
        body.removeAll(keepingCapacity: true)
        for index in ranges.indices { ranges[index] = (-1, -1) }
        bodyBytes = 0
        hasDuplicates = false
    }

    /// Adds one header field; fields that no provider reads are left out.
    mutating func add(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        guard let field = Self.field(named: name) else { return }
        if ranges[field.rawValue].start >= 0 {
            hasDuplicates = true
            return
        }
        let start = fieldBytes.count
        fieldBytes.append(contentsOf: value)
        ranges[field.rawValue] = (start, fieldBytes.count)
    }

    /// Adds a piece of the body.
    mutating func add(body piece: UnsafeRawBufferPointer) {
        bodyBytes += piece.count
        let room = bodyBytesKept - body.count
        if room > 0 { body.append(contentsOf: piece.prefix(room)) }
    }

    /// Notes that more body bytes came than were handed over.
    mutating func truncated() { bodyBytes = max(bodyBytes, bodyBytesKept + 1) }

    /// The value of a field; nil if it did not come.
    subscript(field: Field) -> ArraySlice<UInt8>? {
        let range = ranges[field.rawValue]
        return range.start < 0 ? nil : fieldBytes[range.start..<range.end]
    }

    /// Returns the value of a field as text; nil if it did not come.
    func text(_ field: Field) -> String? { self[field].map { String(decoding: $0, as: UTF8.self) } }

    private static func field(named name: UnsafeRawBufferPointer) -> Field? {
        switch name.count {
        case 3: says(name, .ttl)
        case 5: says(name, .path) ?? says(name, .webPushTopic)
        case 7: says(name, .method) ?? says(name, .id) ?? says(name, .urgency)
        case 10: says(name, .authority) ?? says(name, .topic)
        case 12: says(name, .contentType)
        case 13: says(name, .authorization) ?? says(name, .priority)
        case 14: says(name, .pushType)
        case 15: says(name, .expiration) ?? says(name, .channelID) ?? says(name, .requestID)
        case 16: says(name, .collapseID) ?? says(name, .contentEncoding)
        default: nil
        }
    }

    private static func says(_ name: UnsafeRawBufferPointer, _ field: Field) -> Field? {
        let word = field.name
        let isSame = name.elementsEqual(UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
        return isSame ? field : nil
    }
}
