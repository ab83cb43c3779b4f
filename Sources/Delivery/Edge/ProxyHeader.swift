/// The header of the PROXY protocol, version 2, with which a trusted proxy begins a connection; pure.
///
/// HAProxy's `proxy-protocol.txt`, section 2.2.
public enum ProxyHeader: Sendable, Equatable {
    /// The connection does not begin with a header.
    case absent
    /// The bytes may become a header with more bytes.
    case partial
    /// The header is unusable.
    case malformed
    /// A header of this many bytes; the client has this address, or is unknown.
    case header(bytes: Int, client: ClientAddress?)

    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]
    /// The bytes after the first 16: addresses and extensions; no proxy sends more.
    public static let payloadMax = 4096

    /// Reads the first bytes of a connection.
    public init(_ bytes: some RandomAccessCollection<UInt8>) {
        let bytes = Array(bytes.prefix(16 + Self.payloadMax))
        guard Self.signature.starts(with: bytes.prefix(12)) else {
            self = .absent
            return
        }
        guard bytes.count >= 16 else {
            self = .partial
            return
        }
        let count = Int(bytes[14]) << 8 | Int(bytes[15])
        guard bytes[12] >> 4 == 2, bytes[12] & 15 <= 1, count <= Self.payloadMax else {
            self = .malformed
            return
        }
        guard bytes.count >= 16 + count else {
            self = .partial
            return
        }
        // The proxy's own health check names no client.
        if bytes[12] & 15 == 0 {
            self = .header(bytes: 16 + count, client: nil)
            return
        }
        // The client's address comes first; its family is in the upper half. Other families name no client.
        let length = [1: 4, 2: 16][bytes[13] >> 4]
        if let length, count < 2 * length + 4 {
            self = .malformed
        } else {
            self = .header(bytes: 16 + count, client: length.flatMap { ClientAddress(bytes: bytes[16..<16 + $0]) })
        }
    }
}
