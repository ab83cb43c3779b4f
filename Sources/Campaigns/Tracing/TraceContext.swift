/// A producer's position in a trace: the header `traceparent` (W3C Trace Context, section 3.2).
public struct TraceContext: Hashable, Sendable {
    /// The trace id: 32 lower-case hexadecimal digits, not all zero.
    public let traceID: String
    /// The producer's span: 16 lower-case hexadecimal digits, not all zero.
    public let spanID: String
    /// True if the producer records its part of the trace; then ours is recorded too.
    public let isSampled: Bool

    /// Reads a header's value; nil for one that must be ignored (section 3.2.2.5).
    ///
    /// A later version may have more fields after those of this one.
    public init?(_ text: String) {
        let fields = text.split(separator: "-", omittingEmptySubsequences: false)
        guard fields.count >= 4, text.utf8.count <= 512,
            Self.isHexadecimal(fields[0], digits: 2), fields[0] != "ff", fields[0] != "00" || fields.count == 4,
            Self.isHexadecimal(fields[1], digits: 32), fields[1].contains(where: { $0 != "0" }),
            Self.isHexadecimal(fields[2], digits: 16), fields[2].contains(where: { $0 != "0" }),
            Self.isHexadecimal(fields[3], digits: 2), let flags = UInt8(fields[3], radix: 16)
        else { return nil }
        traceID = String(fields[1])
        spanID = String(fields[2])
        isSampled = flags & 1 == 1
    }

    private static func isHexadecimal(_ text: Substring, digits: Int) -> Bool {
        text.utf8.count == digits
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
                default: false
                }
            }
    }
}
