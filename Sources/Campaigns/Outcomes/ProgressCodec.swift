/// The binary form of a progress in the ledger.
///
/// Version, count, started mark, two codes per byte, then runs of equal notes over neighboring positions, whose reasons
/// are in a separate table.
extension Progress {
    private static let version: UInt8 = 1

    /// The packed form; about 250 bytes for 500 accepted devices.
    public var packed: [UInt8] {
        var writer = PackedWriter()
        writer.bytes.reserveCapacity(16 + codes.count / 2)
        writer.bytes.append(Self.version)
        writer.number(UInt64(codes.count))
        writer.number(UInt64(started))
        for index in stride(from: 0, to: codes.count, by: 2) {
            let high = index + 1 < codes.count ? codes[index + 1] : 0
            writer.bytes.append(codes[index] | high << 4)
        }
        let runs = noteRuns()
        // They are few, so that a linear search is cheaper than a set.
        var reasons: [String] = []
        for run in runs {
            if let reason = run.note.reason, !reasons.contains(reason) { reasons.append(reason) }
        }
        reasons.sort()
        writer.number(UInt64(reasons.count))
        for reason in reasons { writer.text(reason) }
        writer.number(UInt64(runs.count))
        for run in runs { writer.run(run, reasons: reasons) }
        return writer.bytes
    }

    struct NoteRun {
        var start: UInt16
        var length: UInt16
        var note: Note
    }

    private func noteRuns() -> [NoteRun] {
        var runs: [NoteRun] = []
        for (position, note) in notes.sorted(by: { $0.key < $1.key }) {
            if let last = runs.last, last.note == note, last.start + last.length == position {
                runs[runs.count - 1].length += 1
            } else {
                runs.append(NoteRun(start: position, length: 1, note: note))
            }
        }
        return runs
    }

    /// Reads the packed form; nil if the bytes are malformed.
    public init?(packed bytes: [UInt8]) {
        var reader = PackedReader(bytes: bytes)
        guard reader.byte() == Self.version, let count = reader.number(max: 65_535),
            let started = reader.number(max: count)
        else { return nil }
        var codes: [UInt8] = []
        codes.reserveCapacity(count + 1)
        for _ in 0..<(count + 1) / 2 {
            guard let pair = reader.byte() else { return nil }
            codes.append(pair & 15)
            codes.append(pair >> 4)
        }
        if codes.count > count, codes.removeLast() != 0 { return nil }
        guard codes.allSatisfy({ $0 < 15 }), let reasonCount = reader.number(max: 65_535) else { return nil }
        var reasons: [String] = []
        for _ in 0..<reasonCount {
            guard let reason = reader.text() else { return nil }
            reasons.append(reason)
        }
        guard let runCount = reader.number(max: 65_535) else { return nil }
        var notes: [UInt16: Note] = [:]
        var end = 0
        for _ in 0..<runCount {
            guard let run = reader.run(reasons: reasons), run.length > 0, Int(run.start) >= end,
                Int(run.start) + Int(run.length) <= count
            else { return nil }
            end = Int(run.start) + Int(run.length)
            for position in run.start..<UInt16(end) { notes[position] = run.note }
        }
        guard reader.isAtEnd else { return nil }
        self.init(codes: codes, notes: notes, started: started)
    }
}

extension PackedWriter {
    fileprivate mutating func run(_ run: Progress.NoteRun, reasons: [String]) {
        number(UInt64(run.start))
        number(UInt64(run.length))
        let note = run.note
        let reason = note.reason.flatMap { reasons.firstIndex(of: $0) }
        number(UInt64(reason.map { $0 + 1 } ?? 0))
        bytes.append(note.requests)
        bytes.append(
            (note.charged ? 1 : 0) | (note.notBefore == nil ? 0 : 2) | (note.deadSince == nil ? 0 : 4)
                | (note.unanswered ? 8 : 0)
        )
        if let notBefore = note.notBefore { number(UInt64(bitPattern: notBefore.milliseconds)) }
        if let deadSince = note.deadSince { number(UInt64(bitPattern: deadSince.milliseconds)) }
    }
}

private struct PackedReader {
    let bytes: [UInt8]
    var index = 0

    var isAtEnd: Bool { index == bytes.count }

    mutating func byte() -> UInt8? {
        guard index < bytes.count else { return nil }
        defer { index += 1 }
        return bytes[index]
    }

    mutating func number() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: 0 as UInt64, to: 64, by: 7) {
            guard let next = byte() else { return nil }
            value |= UInt64(next & 0x7F) << shift
            if next < 0x80 { return value }
        }
        return nil
    }

    mutating func number(max: Int) -> Int? {
        guard let value = number(), value <= UInt64(max) else { return nil }
        return Int(value)
    }

    mutating func text() -> String? {
        guard let length = number(max: 4096), index + length <= bytes.count else { return nil }
        defer { index += length }
        return String(validating: bytes[index..<index + length], as: UTF8.self)
    }

    mutating func run(reasons: [String]) -> Progress.NoteRun? {
        guard let start = number(max: 65_535), let length = number(max: 65_535), start + length <= 65_535,
            let reason = number(max: reasons.count), let requests = byte(), let flags = byte(), flags < 16
        else { return nil }
        var note = Progress.Note(
            reason: reason == 0 ? nil : reasons[reason - 1],
            requests: requests,
            charged: flags & 1 != 0,
            unanswered: flags & 8 != 0
        )
        if flags & 2 != 0 {
            guard let value = number() else { return nil }
            note.notBefore = Timestamp(milliseconds: Int64(bitPattern: value))
        }
        if flags & 4 != 0 {
            guard let value = number() else { return nil }
            note.deadSince = Timestamp(milliseconds: Int64(bitPattern: value))
        }
        return Progress.NoteRun(start: UInt16(start), length: UInt16(length), note: note)
    }
}
