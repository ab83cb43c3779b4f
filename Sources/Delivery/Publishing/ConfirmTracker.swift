/// The publishes of one channel that still wait for the broker's confirm, and the results of the others.
///
/// Pure: the driver reports what it wrote and read, and when; the tracker says which publishes are settled, each
/// exactly once. Sequence numbers count from 1 on a fresh channel and grow by one with each publish, as the broker
/// counts them (RabbitMQ, publisher confirms). A return is matched by `Key`: a `basic.return` carries no sequence
/// number, only what was published, and it comes before the confirm of its publish.
public struct ConfirmTracker<Key: Hashable & Sendable>: Sendable {
    /// The result of a publish.
    public enum Result: Sendable, Equatable {
        /// The broker has it.
        case confirmed
        /// It could not be routed; the broker's code and text (312, `NO_ROUTE`).
        case returned(code: UInt16, text: String)
        /// The broker refused it, for example because its queue is full.
        case refused
        /// No confirm within the time-out: it may or may not have arrived.
        case timedOut
        /// The connection ended before a confirm came: it may or may not have arrived.
        case connectionLost
    }

    /// A publish that is settled now.
    public struct Settlement: Sendable, Equatable {
        /// Its sequence number.
        public var sequence: UInt64
        /// The result.
        public var result: Result

        /// A settlement.
        public init(sequence: UInt64, result: Result) {
            self.sequence = sequence
            self.result = result
        }
    }

    private struct Entry: Sendable {
        var key: Key
        var deadline: Duration
        var returned: (code: UInt16, text: String)?
        var settled = false
    }

    /// The time that a publish may wait for its confirm; 10 s by default (design, section 7).
    public let timeout: Duration
    /// The number of publishes without a result.
    public private(set) var outstandingCount = 0

    /// The entries of `first`, `first + 1`, …; settled ones leave once they are at the front.
    private var entries: [Entry] = []
    private var head = 0
    private var first: UInt64 = 1
    private var sequencesByKey: [Key: [UInt64]] = [:]

    /// A tracker for a fresh channel.
    public init(timeout: Duration = .seconds(10)) {
        self.timeout = timeout
    }

    /// The sequence number of the latest publish, 0 before the first.
    public var lastSequence: UInt64 { first + UInt64(entries.count - head) - 1 }

    /// Notes a publish that was handed to the session; returns its sequence number.
    ///
    /// `now` is a monotonic clock that never goes back between calls.
    public mutating func published(_ key: Key, now: Duration) -> UInt64 {
        entries.append(Entry(key: key, deadline: now + timeout))
        outstandingCount += 1
        let sequence = lastSequence
        sequencesByKey[key, default: []].append(sequence)
        return sequence
    }

    /// Notes a return for the oldest outstanding publish with this key that has none yet.
    ///
    /// Returns false if there is none. The confirm that follows settles the publish.
    public mutating func returned(_ key: Key, code: UInt16, text: String) -> Bool {
        for sequence in sequencesByKey[key] ?? [] {
            let index = index(of: sequence)
            guard entries[index].returned == nil else { continue }
            entries[index].returned = (code, text)
            return true
        }
        return false
    }

    /// Notes a confirm (`basic.ack`); returns nil if it names a publish that never was, which is a breach of the
    /// protocol.
    ///
    /// With `multiple` it covers all up to `tag`, or all outstanding ones if `tag` is 0. Publishes that were settled
    /// before (timed out) are not reported again.
    public mutating func confirmed(tag: UInt64, multiple: Bool) -> [Settlement]? {
        settle(tag: tag, multiple: multiple, as: .confirmed)
    }

    /// Notes a refusal (`basic.nack`); otherwise like `confirmed`.
    public mutating func refused(tag: UInt64, multiple: Bool) -> [Settlement]? {
        settle(tag: tag, multiple: multiple, as: .refused)
    }

    /// Settles the publishes that have waited too long.
    public mutating func timeOut(now: Duration) -> [Settlement] {
        var settlements: [Settlement] = []
        // All publishes have the same time-out, so the deadlines are in the order of the publishes.
        var index = head
        while index < entries.count, entries[index].deadline <= now {
            take(index, as: .timedOut, into: &settlements)
            index += 1
        }
        trim()
        return settlements
    }

    /// The instant at which the oldest outstanding publish times out; nil if none is outstanding.
    public var nextDeadline: Duration? {
        head < entries.count ? entries[head].deadline : nil
    }

    /// Settles everything as unknown and starts again at 1 for the next channel.
    public mutating func connectionLost() -> [Settlement] {
        var settlements: [Settlement] = []
        for index in head..<entries.count { take(index, as: .connectionLost, into: &settlements) }
        entries.removeAll()
        head = 0
        first = 1
        return settlements
    }

    private func index(of sequence: UInt64) -> Int { head + Int(sequence - first) }

    private mutating func settle(tag: UInt64, multiple: Bool, as result: Result) -> [Settlement]? {
        guard tag <= lastSequence, tag > 0 || multiple else { return nil }
        var settlements: [Settlement] = []
        let last = tag == 0 ? lastSequence : tag
        if multiple {
            while first <= last {
                take(head, as: result, into: &settlements)
                dropFirst()
            }
        } else if last >= first {
            take(index(of: last), as: result, into: &settlements)
        }
        trim()
        return settlements
    }

    private mutating func take(_ index: Int, as result: Result, into settlements: inout [Settlement]) {
        guard !entries[index].settled else { return }
        entries[index].settled = true
        outstandingCount -= 1
        let sequence = first + UInt64(index - head)
        let key = entries[index].key
        sequencesByKey[key]?.removeAll { $0 == sequence }
        if sequencesByKey[key]?.isEmpty == true { sequencesByKey[key] = nil }
        var final = result
        // A return says more than the confirm after it, and more than the loss of the confirm.
        if let returned = entries[index].returned { final = .returned(code: returned.code, text: returned.text) }
        settlements.append(Settlement(sequence: sequence, result: final))
    }

    private mutating func dropFirst() {
        head += 1
        first += 1
    }

    private mutating func trim() {
        while head < entries.count, entries[head].settled { dropFirst() }
        if head > 1024, head * 2 > entries.count {
            entries.removeSubrange(..<head)
            head = 0
        }
    }
}
