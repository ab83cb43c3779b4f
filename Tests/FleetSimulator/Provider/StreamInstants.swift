/// The instants at which streams were opened by a client, or answered by a server, read from one direction of a
/// connection.
///
/// It reads HTTP/2's frame headers and nothing else, so that it knows when a request left its worker before anybody has
/// understood it.
struct StreamInstants {
    /// The instant of a stream's first HEADERS frame from a client, or of the end of a server's last frame.
    private(set) var instants: [Int32: Int64] = [:]
    private let isClient: Bool
    private var unread: [UInt8] = []
    /// The bytes of a frame's payload, or of the preface, that are still to come.
    private var skipped: Int
    /// The stream of a frame that says so, until its payload is there.
    private var found: Int32?

    private static let headerSize = 9
    private static let headers: UInt8 = 1
    private static let data: UInt8 = 0
    /// The flag END_STREAM of HEADERS and DATA (RFC 9113, section 6).
    private static let endStream: UInt8 = 1

    /// Begins to read; a client's bytes begin with a preface of 24.
    init(isClient: Bool) { (self.isClient, skipped) = (isClient, isClient ? 24 : 0) }

    /// Reads more bytes; returns the streams that they open, or answer.
    @discardableResult
    mutating func read(_ bytes: [UInt8], at now: Int64) -> [Int32] {
        var (rest, streams) = (bytes[...], [Int32]())
        while !rest.isEmpty {
            if skipped > 0 {
                let count = min(skipped, rest.count)
                skipped -= count
                rest = rest.dropFirst(count)
            } else {
                let missing = min(Self.headerSize - unread.count, rest.count)
                unread += rest.prefix(missing)
                rest = rest.dropFirst(missing)
                guard unread.count == Self.headerSize else { break }
                readHeader()
            }
            guard skipped == 0, let stream = found else { continue }
            found = nil
            if instants.updateValue(instants[stream] ?? now, forKey: stream) == nil { streams.append(stream) }
        }
        return streams
    }

    private mutating func readHeader() {
        skipped = Int(unread[0]) << 16 | Int(unread[1]) << 8 | Int(unread[2])
        let (type, flags) = (unread[3], unread[4])
        let isLast = (type == Self.headers || type == Self.data) && flags & Self.endStream != 0
        if isClient ? type == Self.headers : isLast { found = unread[5...].reduce(Int32(0)) { $0 << 8 | Int32($1) } }
        unread.removeAll(keepingCapacity: true)
    }
}
