package import Campaigns
package import Store

/// A segment with the answers to its questions about tracking, as of one moment.
///
/// The answers are read once for a walk: a bit for each device of the registry and question. A campaign that no longer
/// exists has no answers.
package struct TrackedSegment: Sendable {
    private let segment: Segment
    private let answers: [DeviceBits]

    /// Reads the answers, of events up to `now`; a segment without questions reads nothing.
    package static func read(
        _ segment: Segment,
        app: String,
        now: Timestamp,
        from ledger: Ledger
    ) async throws(LedgerError) -> TrackedSegment {
        var answers: [DeviceBits] = []
        for question in segment.questions {
            var bits = DeviceBits()
            let id = question.campaign
            if let campaign = try await ledger.read({ try $0.campaignNumber(app: app, id: id) }) {
                let since = question.since?.instant(now: now)
                var cursor: TrackedCursor?
                repeat {
                    let after = cursor
                    let page = try await ledger.read {
                        try $0.devices(answering: question, campaign: campaign, since: since, until: now, after: after)
                    }
                    for number in page.registered { bits.insert(number) }
                    cursor = page.next
                } while cursor != nil
            }
            answers.append(bits)
        }
        return TrackedSegment(segment: segment, answers: answers)
    }

    /// The part of the segment that the registry's index can answer; nil for none.
    var indexed: IndexExpression? { segment.indexed }

    /// Returns the text of a part of ``indexed`` for people.
    func text(of part: IndexExpression) -> String { segment.text(of: part) }

    /// Returns the number of devices for which the question at an index holds.
    func answerCount(_ question: Int) -> Int { answers[question].count }

    /// Returns the devices of a block of the registry for which the question at an index holds; nil for none.
    func answer(_ question: Int, block: Int64) -> IndexBlock? { answers[question].block(block) }

    /// Returns true if the device with this number in the registry belongs to the segment.
    func matches(_ traits: PackedTraits, number: Int64) -> Bool {
        if answers.isEmpty { return segment.matches(traits) }
        return segment.matches(traits) { answers[$0].contains(number) }
    }

    /// Returns true if a device that was looked up belongs to the segment.
    func matches(_ device: RegisteredDevice) -> Bool {
        device.traits.packed().withUnsafeBytes { bytes in
            PackedTraits(bytes).map { matches($0, number: device.number) } ?? false
        }
    }
}

/// A set of an app's devices: a bit for each number, whose lower half counts from 1.
private struct DeviceBits: Sendable {
    private var words: [UInt64] = []

    mutating func insert(_ number: Int64) {
        let index = Int(UInt32(truncatingIfNeeded: number))
        if index / 64 >= words.count { words += Array(repeating: 0, count: index / 64 + 1 - words.count) }
        words[index / 64] |= 1 << UInt64(index % 64)
    }

    func contains(_ number: Int64) -> Bool {
        let index = Int(UInt32(truncatingIfNeeded: number))
        return index / 64 < words.count && words[index / 64] & 1 << UInt64(index % 64) != 0
    }

    var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    func block(_ block: Int64) -> IndexBlock? {
        let size = IndexBlock.places / 64
        let first = Int(UInt32(truncatingIfNeeded: block << 12)) / 64
        guard first < words.count else { return nil }
        let devices = IndexBlock(words: words[first..<min(first + size, words.count)])
        return devices.isEmpty ? nil : devices
    }
}
