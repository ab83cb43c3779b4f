/// The body of a message from an AMQP 1.0 producer, as RabbitMQ translates it for consumers of AMQP 0-9-1.
///
/// A body of data sections arrives as its bytes. Any other arrives as the encoded sections, with the message type
/// `amqp-1.0`: most clients send text as the section `amqp-value`.
enum AMQP1Body {
    /// RabbitMQ's message type for a body that is no data section.
    static let encodedType = "amqp-1.0"
    /// RabbitMQ's message type for a body of data sections, until 3.12.
    static let dataType = "binary"

    /// Returns the job's bytes in a message's body; nil if it is encoded and neither text nor binary data.
    static func job(in bytes: [UInt8], type: String?) -> [UInt8]? {
        type == encodedType ? value(bytes[...]) : bytes
    }

    /// Decodes one section `amqp-value` with a string or binary value, and nothing after it (OASIS AMQP 1.0, parts 1.6
    /// and 3.2.8).
    private static func value(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        let descriptors: [[UInt8]] = [[0, 0x53, 0x77], [0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x77]]
        guard let descriptor = descriptors.first(where: bytes.starts) else { return nil }
        var rest = bytes.dropFirst(descriptor.count)
        let lengthBytes: Int
        switch rest.popFirst() {
        case 0xA0, 0xA1: lengthBytes = 1
        case 0xB0, 0xB1: lengthBytes = 4
        default: return nil
        }
        guard rest.count >= lengthBytes else { return nil }
        let length = rest.prefix(lengthBytes).reduce(0) { $0 << 8 | Int($1) }
        let content = rest.dropFirst(lengthBytes)
        return content.count == length ? Array(content) : nil
    }
}
