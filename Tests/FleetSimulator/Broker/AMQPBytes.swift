/// A fault of the client that ends its connection or its channel, as RabbitMQ judges it.
struct BrokerFault: Error {
    var code: UInt16
    var text: String
    /// True for what ends the whole connection.
    var endsConnection: Bool

    static func connection(_ code: UInt16, _ text: String) -> BrokerFault {
        BrokerFault(code: code, text: text, endsConnection: true)
    }

    static func channel(_ code: UInt16, _ text: String) -> BrokerFault {
        BrokerFault(code: code, text: text, endsConnection: false)
    }

    static let syntax = BrokerFault.connection(502, "SYNTAX_ERROR")
}

/// Reads the fields of AMQP 0-9-1 from a frame's payload.
struct AMQPBytes {
    let bytes: ArraySlice<UInt8>
    private(set) var position: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// The bytes that are not read yet.
    var rest: ArraySlice<UInt8> { bytes[position...] }

    mutating func take(_ count: Int) throws(BrokerFault) -> ArraySlice<UInt8> {
        guard count >= 0, bytes.endIndex - position >= count else { throw .syntax }
        defer { position += count }
        return bytes[position..<position + count]
    }

    mutating func number(_ bytes: Int) throws(BrokerFault) -> UInt64 {
        try take(bytes).reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func octet() throws(BrokerFault) -> UInt8 { UInt8(try number(1)) }

    mutating func short() throws(BrokerFault) -> UInt16 { UInt16(try number(2)) }

    mutating func shortString() throws(BrokerFault) -> String {
        String(decoding: try take(Int(try number(1))), as: UTF8.self)
    }

    mutating func longString() throws(BrokerFault) -> ArraySlice<UInt8> { try take(Int(try number(4))) }

    /// Returns the fields of a table whose values are texts, truth values or tables; others are nil.
    mutating func table() throws(BrokerFault) -> [String: AMQPField] {
        var table = AMQPBytes(try longString())
        var fields: [String: AMQPField] = [:]
        while !table.rest.isEmpty {
            let name = try table.shortString()
            fields[name] = try table.field()
        }
        return fields
    }

    private mutating func field() throws(BrokerFault) -> AMQPField {
        switch try octet() {
        case UInt8(ascii: "t"): return .truth(try octet() != 0)
        case UInt8(ascii: "S"): return .text(String(decoding: try longString(), as: UTF8.self))
        case UInt8(ascii: "F"): return .table(try table())
        case UInt8(ascii: "A"), UInt8(ascii: "x"): _ = try longString()
        case UInt8(ascii: "V"): break
        case UInt8(ascii: "b"), UInt8(ascii: "B"): _ = try take(1)
        case UInt8(ascii: "s"), UInt8(ascii: "u"): _ = try take(2)
        case UInt8(ascii: "I"), UInt8(ascii: "i"), UInt8(ascii: "f"): _ = try take(4)
        case UInt8(ascii: "D"): _ = try take(5)
        case UInt8(ascii: "l"), UInt8(ascii: "L"), UInt8(ascii: "d"), UInt8(ascii: "T"): _ = try take(8)
        default: throw .syntax
        }
        return .other
    }
}

/// A value of a field table, as far as a broker looks at it.
enum AMQPField: Equatable {
    case truth(Bool)
    case text(String)
    case table([String: AMQPField])
    case other
}

/// Writes the fields of AMQP 0-9-1, and frames.
struct AMQPWriter {
    private(set) var bytes: [UInt8] = []

    mutating func number(_ value: some BinaryInteger, _ count: Int) {
        for byte in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
    }

    mutating func shortString(_ text: String) {
        number(text.utf8.count, 1)
        bytes += text.utf8
    }

    mutating func longString(_ content: some Collection<UInt8>) {
        number(content.count, 4)
        bytes += content
    }

    mutating func append(_ content: some Sequence<UInt8>) { bytes += content }

    /// Writes a table of truth values and tables.
    mutating func table(_ fields: [(String, AMQPField)]) {
        var inner = AMQPWriter()
        for (name, field) in fields {
            inner.shortString(name)
            inner.field(field)
        }
        longString(inner.bytes)
    }

    private mutating func field(_ field: AMQPField) {
        switch field {
        case .truth(let value):
            bytes.append(UInt8(ascii: "t"))
            number(value ? 1 : 0, 1)
        case .text(let text):
            bytes.append(UInt8(ascii: "S"))
            longString(Array(text.utf8))
        case .table(let fields):
            bytes.append(UInt8(ascii: "F"))
            table(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        case .other: bytes.append(UInt8(ascii: "V"))
        }
    }

    /// The kinds of frames.
    enum Kind: UInt8 {
        case method = 1
        case header = 2
        case body = 3
        case heartbeat = 8
    }

    /// Returns a frame with this payload.
    static func frame(_ kind: Kind, channel: UInt16, _ payload: [UInt8]) -> [UInt8] {
        var frame = AMQPWriter()
        frame.number(kind.rawValue, 1)
        frame.number(channel, 2)
        frame.longString(payload)
        frame.number(0xCE, 1)
        return frame.bytes
    }

    /// Returns a method frame.
    static func method(_ id: MethodID, channel: UInt16, _ fill: (inout AMQPWriter) -> Void = { _ in }) -> [UInt8] {
        var payload = AMQPWriter()
        payload.number(id.rawValue, 4)
        fill(&payload)
        return frame(.method, channel: channel, payload.bytes)
    }
}

/// The methods that the broker reads and writes: the class in the upper half, the method in the lower.
enum MethodID: UInt32 {
    case connectionStart = 0x000A_000A
    case connectionStartOk = 0x000A_000B
    case connectionTune = 0x000A_001E
    case connectionTuneOk = 0x000A_001F
    case connectionOpen = 0x000A_0028
    case connectionOpenOk = 0x000A_0029
    case connectionClose = 0x000A_0032
    case connectionCloseOk = 0x000A_0033
    case connectionBlocked = 0x000A_003C
    case connectionUnblocked = 0x000A_003D
    case channelOpen = 0x0014_000A
    case channelOpenOk = 0x0014_000B
    case channelClose = 0x0014_0028
    case channelCloseOk = 0x0014_0029
    case exchangeDeclare = 0x0028_000A
    case exchangeDeclareOk = 0x0028_000B
    case queueDeclare = 0x0032_000A
    case queueDeclareOk = 0x0032_000B
    case queueBind = 0x0032_0014
    case queueBindOk = 0x0032_0015
    case qos = 0x003C_000A
    case qosOk = 0x003C_000B
    case consume = 0x003C_0014
    case consumeOk = 0x003C_0015
    case cancel = 0x003C_001E
    case cancelOk = 0x003C_001F
    case publish = 0x003C_0028
    case returned = 0x003C_0032
    case deliver = 0x003C_003C
    case ack = 0x003C_0050
    case nack = 0x003C_0078
    case confirmSelect = 0x0055_000A
    case confirmSelectOk = 0x0055_000B
}
