/// One request as it came over the wire, in a buffer that is used again for the next one.
struct APNsRequest {
    /// The header fields that APNs looks at.
    enum Field: Int, CaseIterable {
        case method
        case path
        case authorization
        case topic
        case pushType
        case id
        case expiration
        case priority
        case collapseID
    }

    /// More than this of a body is counted but not kept: it is refused as too large anyway.
    static let bodyBytesKept = 5120

    /// All field values one after the other.
    private var fieldBytes: [UInt8] = []
    /// Start and end of each field's value in `fieldBytes`; a start of -1 is an absent field.
    private var places: [(start: Int, end: Int)] = Array(repeating: (-1, -1), count: Field.allCases.count)
    /// The body as far as it is kept.
    private(set) var body: [UInt8] = []
    /// The bytes of body that came.
    private(set) var bodyBytes = 0
    /// A field that APNs looks at came twice.
    private(set) var hasDuplicates = false

    init() {}

    /// Empties the buffer and keeps its memory.
    mutating func reset() {
        fieldBytes.removeAll(keepingCapacity: true)
        body.removeAll(keepingCapacity: true)
        for index in places.indices { places[index] = (-1, -1) }
        bodyBytes = 0
        hasDuplicates = false
    }

    /// Takes one header field; fields that APNs does not know are left out.
    mutating func add(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        guard let field = Self.field(named: name) else { return }
        if places[field.rawValue].start >= 0 {
            hasDuplicates = true
            return
        }
        let start = fieldBytes.count
        fieldBytes.append(contentsOf: value)
        places[field.rawValue] = (start, fieldBytes.count)
    }

    /// Takes a piece of the body.
    mutating func add(body piece: UnsafeRawBufferPointer) {
        bodyBytes += piece.count
        let room = Self.bodyBytesKept - body.count
        if room > 0 { body.append(contentsOf: piece.prefix(room)) }
    }

    /// More body came than was handed over.
    mutating func truncated() { bodyBytes = max(bodyBytes, Self.bodyBytesKept + 1) }

    /// The value of a field; nil when it did not come.
    subscript(field: Field) -> ArraySlice<UInt8>? {
        let place = places[field.rawValue]
        return place.start < 0 ? nil : fieldBytes[place.start..<place.end]
    }

    private static func field(named name: UnsafeRawBufferPointer) -> Field? {
        switch name.count {
        case 5: says(name, ":path") ? .path : nil
        case 7: says(name, ":method") ? .method : says(name, "apns-id") ? .id : nil
        case 10: says(name, "apns-topic") ? .topic : nil
        case 13: says(name, "authorization") ? .authorization : says(name, "apns-priority") ? .priority : nil
        case 14: says(name, "apns-push-type") ? .pushType : nil
        case 15: says(name, "apns-expiration") ? .expiration : nil
        case 16: says(name, "apns-collapse-id") ? .collapseID : nil
        default: nil
        }
    }

    private static func says(_ name: UnsafeRawBufferPointer, _ word: StaticString) -> Bool {
        name.elementsEqual(UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }
}
