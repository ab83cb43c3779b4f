/// A message as the broker keeps it: the properties and the body as they were published.
struct BrokerMessage {
    var exchange: String
    var routingKey: String
    /// The payload of the content header behind the body's size: flags and properties.
    var properties: [UInt8]
    var body: [UInt8]
    /// The `message_id`; empty without one.
    let id: String

    init(exchange: String, routingKey: String, properties: [UInt8], body: [UInt8]) throws(BrokerFault) {
        self.exchange = exchange
        self.routingKey = routingKey
        self.properties = properties
        self.body = body
        id = try Self.id(of: properties)
    }

    /// The properties with the header that a quorum queue adds to a message that was delivered before.
    func properties(deliveryCount: Int) -> [UInt8] {
        guard deliveryCount > 0, let parts = try? Self.headers(of: properties) else { return properties }
        var added = AMQPWriter()
        added.shortString("x-delivery-count")
        added.number(UInt8(ascii: "l"), 1)
        added.number(deliveryCount, 8)
        var result = AMQPWriter()
        result.number(parts.flags | 1 << 13, 2)
        result.append(parts.before)
        result.longString(parts.table + added.bytes)
        result.append(parts.after)
        return result.bytes
    }

    /// The properties, split at their table of headers.
    private struct Parts {
        var flags: UInt16
        var before: ArraySlice<UInt8>
        var table: ArraySlice<UInt8>
        var after: ArraySlice<UInt8>
    }

    private static func headers(of properties: [UInt8]) throws(BrokerFault) -> Parts {
        var reader = AMQPBytes(properties[...])
        let flags = try reader.short()
        let begin = reader.position
        for bit in [15, 14] where flags & 1 << bit != 0 { _ = try reader.shortString() }
        let before = properties[begin..<reader.position]
        let table = flags & 1 << 13 != 0 ? try reader.longString() : []
        return Parts(flags: flags, before: before, table: table, after: reader.rest)
    }

    private static func id(of properties: [UInt8]) throws(BrokerFault) -> String {
        let parts = try headers(of: properties)
        var reader = AMQPBytes(parts.after)
        for bit in [12, 11] where parts.flags & 1 << bit != 0 { _ = try reader.octet() }
        for bit in [10, 9, 8] where parts.flags & 1 << bit != 0 { _ = try reader.shortString() }
        return parts.flags & 1 << 7 != 0 ? try reader.shortString() : ""
    }
}
