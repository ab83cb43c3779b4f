/// The instants at which streams were opened and answered, read from the frames of one direction of a connection.
///
/// It reads HTTP/2's frame headers and nothing else, so that it knows when a request left its worker before anybody has
/// understood it.
struct OpenedStreams {
    /// The instant of a stream's first HEADERS frame.
    private(set) var instants: [Int32: Int64] = [:]
    private var unread: [UInt8] = []
    /// The bytes of a frame's payload, or of the preface, that are still to come.
    private var skipped: Int

    private static let headerSize = 9
    private static let headers: UInt8 = 1

    /// Begins to read; a client's bytes begin with a preface of 24.
    init(isClient: Bool) { skipped = isClient ? 24 : 0 }

    /// Reads more bytes; returns the streams that they open.
    @discardableResult
    mutating func read(_ bytes: [UInt8], at now: Int64) -> [Int32] {
        var (rest, opened) = (bytes[...], [Int32]())
        while !rest.isEmpty {
            if skipped > 0 {
                let count = min(skipped, rest.count)
                skipped -= count
                rest = rest.dropFirst(count)
                continue
            }
            let missing = min(Self.headerSize - unread.count, rest.count)
            unread += rest.prefix(missing)
            rest = rest.dropFirst(missing)
            guard unread.count == Self.headerSize else { break }
            skipped = Int(unread[0]) << 16 | Int(unread[1]) << 8 | Int(unread[2])
            let stream = unread[5...].reduce(Int32(0)) { $0 << 8 | Int32($1) }
            if unread[3] == Self.headers, instants[stream] == nil {
                instants[stream] = now
                opened.append(stream)
            }
            unread.removeAll(keepingCapacity: true)
        }
        return opened
    }
}
