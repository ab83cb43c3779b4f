/// One value of an AMQP field table, as RabbitMQ reads and writes it.
///
/// Integers of all widths are read as 64 bits and written as signed 64-bit values (`l`).
public enum HeaderValue: Sendable, Equatable {
    /// No value (`V`).
    case null
    /// A truth value (`t`).
    case bool(Bool)
    /// An integer of any width; an unsigned one above `Int64.max` is read as `Int64.max`.
    case integer(Int64)
    /// A floating-point number (`d`, `f`) or a decimal (`D`).
    case double(Double)
    /// UTF-8 text (`S`).
    case string(String)
    /// Bytes (`x`), or a string that is not UTF-8.
    case bytes([UInt8])
    /// Seconds since 1970 (`T`).
    case timestamp(UInt64)
    /// A list of values (`A`).
    case array([HeaderValue])
    /// A nested table (`F`).
    case table([MessageHeader])
}

/// A name and a value of an AMQP field table: one header of a message, or one argument of a declaration.
public struct MessageHeader: Sendable, Equatable {
    /// The name, at most 255 bytes of UTF-8 on the wire.
    public var name: String
    /// The value.
    public var value: HeaderValue

    /// Creates a header.
    public init(_ name: String, _ value: HeaderValue) {
        self.name = name
        self.value = value
    }
}
