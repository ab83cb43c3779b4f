/// The offsets of a time zone, read from a compiled file of the system's database (TZif, RFC 9636).
///
/// The pure tier receives it as a value; the driver finds the file.
public struct TimeZoneRules: Sendable, Equatable {
    /// The instants at which the offset changes, in seconds since 1970, ascending, with the offset from then on.
    private let changes: [Change]
    /// The offset before the first change, in seconds east of UTC.
    private let first: Int
    /// The rule after the last change; nil if the file has none, and the last offset remains.
    private let rule: PosixTimeZone?

    private struct Change: Sendable, Equatable {
        var at: Int64
        var offset: Int
    }

    /// UTC, which needs no file.
    public static let utc = TimeZoneRules(changes: [], first: 0, rule: nil)

    private init(changes: [Change], first: Int, rule: PosixTimeZone?) {
        self.changes = changes
        self.first = first
        self.rule = rule
    }

    /// Reads a file's bytes; nil if it is not a TZif file of version 2 or later.
    public init?(tzif bytes: [UInt8]) {
        guard var block = TZifBlock(bytes, at: 0, timeSize: 4), block.version >= UInt8(ascii: "2"),
            let second = TZifBlock(bytes, at: block.end, timeSize: 8), second.end < bytes.count,
            bytes[second.end] == 10
        else { return nil }
        block = second
        let footer = bytes[(block.end + 1)...]
        guard let footerEnd = footer.firstIndex(of: 10) else { return nil }
        let text = footer[..<footerEnd]
        var rule: PosixTimeZone?
        if !text.isEmpty {
            rule = PosixTimeZone(Array(text))
            if rule == nil { return nil }
        }
        var changes: [Change] = []
        for index in 0..<block.changeCount {
            guard let offset = block.offset(ofType: block.type(ofChange: index)) else { return nil }
            changes.append(Change(at: block.time(ofChange: index), offset: offset))
        }
        guard let first = block.offset(ofType: 0), zip(changes, changes.dropFirst()).allSatisfy({ $0.at < $1.at })
        else { return nil }
        self.init(changes: changes, first: first, rule: rule)
    }

    /// Returns the seconds east of UTC at an instant.
    public func offset(at instant: Timestamp) -> Int { offset(atSecond: instant.seconds) }

    private func offset(atSecond second: Int64) -> Int {
        if let rule, changes.last.map({ second >= $0.at }) ?? true { return rule.offset(atSecond: second) }
        // Finds the last change at or before the second.
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].at <= second { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? first : changes[low - 1].offset
    }

    /// Returns the local time at an instant.
    public func local(at instant: Timestamp) -> LocalTime {
        LocalTime(seconds: instant.seconds + Int64(offset(at: instant)))
    }

    /// Returns the instant of a local time.
    ///
    /// A time that occurs twice, when clocks go back, is the first of the two. A time that never occurs, when they go
    /// forward, is the instant of the change.
    public func instant(of local: LocalTime) -> Timestamp {
        // Clocks differ from UTC by at most 14 hours, so that the relevant change is within a day.
        let nearby = [-86_400, -50_400, 0, 50_400, 86_400].map { offset(atSecond: local.seconds + $0) }
        let fitting = Set(nearby).map { (second: local.seconds - Int64($0), offset: $0) }
            .filter { offset(atSecond: $0.second) == $0.offset }
        if let second = fitting.map(\.second).min() { return Timestamp(milliseconds: second * 1000) }
        guard let least = nearby.min(), let most = nearby.max() else { preconditionFailure("no offset is nearby") }
        // Before the change the clock is behind the given time, from then on ahead of it.
        var (low, high) = (local.seconds - Int64(most), local.seconds - Int64(least))
        while low < high {
            let middle = low + (high - low) / 2
            if middle + Int64(offset(atSecond: middle)) >= local.seconds { high = middle } else { low = middle + 1 }
        }
        return Timestamp(milliseconds: low * 1000)
    }
}

/// The header and data of one block of a TZif file.
private struct TZifBlock {
    let version: UInt8
    let changeCount: Int
    /// The offset after the block.
    let end: Int
    private let bytes: [UInt8]
    private let start: Int
    private let timeSize: Int
    private let typeCount: Int

    init?(_ bytes: [UInt8], at offset: Int, timeSize: Int) {
        guard offset >= 0, bytes.count >= offset + 44, Array(bytes[offset..<offset + 4]) == Array("TZif".utf8) else {
            return nil
        }
        let counts = (0..<6).map { Int(Self.integer(bytes, at: offset + 20 + $0 * 4, size: 4)) }
        guard counts.allSatisfy({ (0...100_000).contains($0) }), counts[4] > 0 else { return nil }
        version = bytes[offset + 4]
        (changeCount, typeCount) = (counts[3], counts[4])
        start = offset + 44
        let size =
            counts[3] * (timeSize + 1) + counts[4] * 6 + counts[5] + counts[2] * (timeSize + 4) + counts[1] + counts[0]
        end = start + size
        guard bytes.count >= end else { return nil }
        self.bytes = bytes
        self.timeSize = timeSize
    }

    func time(ofChange index: Int) -> Int64 { Self.integer(bytes, at: start + index * timeSize, size: timeSize) }

    func type(ofChange index: Int) -> Int { Int(bytes[start + changeCount * timeSize + index]) }

    func offset(ofType type: Int) -> Int? {
        guard type < typeCount else { return nil }
        let seconds = Int(Self.integer(bytes, at: start + changeCount * (timeSize + 1) + type * 6, size: 4))
        // RFC 9636: at most 25 hours west and 26 hours east.
        return (-89_999...93_599).contains(seconds) ? seconds : nil
    }

    private static func integer(_ bytes: [UInt8], at offset: Int, size: Int) -> Int64 {
        var value: Int64 = bytes[offset] >= 128 ? -1 : 0
        for byte in bytes[offset..<offset + size] { value = value << 8 | Int64(byte) }
        return value
    }
}
