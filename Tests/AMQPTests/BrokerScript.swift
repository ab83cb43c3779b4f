/// Writes frames as a broker would, by hand from the specification and without librabbitmq.
///
/// So both sides of the tests cannot share one mistake.
struct BrokerScript {
    private(set) var bytes: [UInt8] = []

    static func short(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }

    static func long(_ bytes: [UInt8]) -> [UInt8] { int32(bytes.count) + bytes }

    static func int16(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }

    static func int32(_ value: Int) -> [UInt8] { int16(value >> 16) + int16(value & 0xFFFF) }

    static func int64(_ value: Int) -> [UInt8] { int32(value >> 32) + int32(value & 0xFFFF_FFFF) }

    mutating func frame(_ type: UInt8, channel: Int, _ payload: [UInt8]) {
        bytes += [type] + Self.int16(channel) + Self.int32(payload.count) + payload + [0xCE]
    }

    mutating func method(_ classID: Int, _ methodID: Int, channel: Int, _ fields: [UInt8] = []) {
        frame(1, channel: channel, Self.int16(classID) + Self.int16(methodID) + fields)
    }

    mutating func handshake(frameMax: Int = 131_072, heartbeat: Int = 60, confirms: Bool = false) {
        method(10, 10, channel: 0, [0, 9] + Self.long([]) + Self.long(Array("AMQPLAIN PLAIN".utf8)) + Self.long([]))
        method(10, 30, channel: 0, Self.int16(2047) + Self.int32(frameMax) + Self.int16(heartbeat))
        method(10, 41, channel: 0, Self.short(""))
        method(20, 11, channel: 1, Self.long([]))
        if confirms { method(85, 11, channel: 1) }
    }

    mutating func deliver(_ body: [UInt8], tag: Int = 1, redelivered: Bool = false, frameSize: Int = 4088) {
        let fields = Self.short("c1") + Self.int64(tag) + [redelivered ? 1 : 0] + Self.short("x") + Self.short("k")
        method(60, 60, channel: 1, fields)
        header(bodySize: body.count, [0x00, 0x80] + Self.short("id-1"))
        var offset = 0
        while offset < body.count {
            let end = min(offset + frameSize, body.count)
            frame(3, channel: 1, Array(body[offset..<end]))
            offset = end
        }
    }

    mutating func header(bodySize: Int, _ properties: [UInt8]) {
        frame(2, channel: 1, Self.int16(60) + Self.int16(0) + Self.int64(bodySize) + properties)
    }
}
