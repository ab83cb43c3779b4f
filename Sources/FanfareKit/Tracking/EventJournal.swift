import Foundation

/// A journal file of the events that the server has not taken yet: one line per event, and lines for events that are
/// done.
///
/// A line is written before an event counts as recorded, so that an app that is killed loses none. Reading skips a line
/// that was cut off. For one thread at a time.
final class EventJournal {
    /// The number of done events after which the file is rewritten.
    private static let doneMax = 1000

    private let url: URL
    private var file: FileHandle?
    private var done = 0

    private struct Line: Codable {
        var event: TrackedEvent?
        var done: [UUID]?
    }

    /// Opens the journal, or creates it at the first write; its folder must exist.
    init(_ url: URL) {
        self.url = url
    }

    /// Reads all events that are not done, in the order in which they were recorded.
    func read() -> [TrackedEvent] {
        guard let data = try? Data(contentsOf: url) else { return [] }
        var events: [UUID: TrackedEvent] = [:]
        var order: [UUID] = []
        for text in data.split(separator: UInt8(ascii: "\n")) {
            guard let line = try? TrackedEvent.decoder.decode(Line.self, from: Data(text)) else { continue }
            if let event = line.event {
                if events.updateValue(event, forKey: event.id) == nil { order.append(event.id) }
            }
            for id in line.done ?? [] { events[id] = nil }
        }
        return order.compactMap { events[$0] }
    }

    /// Records an event; throws when it cannot be written.
    func note(_ event: TrackedEvent) throws { try append(Line(event: event)) }

    /// Records that events are done; `rest` are the events that are not.
    func finish(_ ids: [UUID], rest: [TrackedEvent]) throws {
        guard !ids.isEmpty else { return }
        done += ids.count
        guard done < Self.doneMax, !rest.isEmpty else { return try rewrite(rest) }
        try append(Line(done: ids))
    }

    private func append(_ line: Line) throws {
        let file = try self.file ?? open()
        // `open` has ended a line that was cut off before.
        try file.write(contentsOf: TrackedEvent.encoder.encode(line) + [UInt8(ascii: "\n")])
    }

    private func open() throws -> FileHandle {
        if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
        let file = try FileHandle(forUpdating: url)
        let end = try file.seekToEnd()
        if end > 0 {
            try file.seek(toOffset: end - 1)
            let last = try file.read(upToCount: 1)
            if last?.first != UInt8(ascii: "\n") { try file.write(contentsOf: [UInt8(ascii: "\n")]) }
        }
        self.file = file
        return file
    }

    private func rewrite(_ events: [TrackedEvent]) throws {
        try file?.close()
        file = nil
        done = 0
        var data = Data()
        for event in events { data += try TrackedEvent.encoder.encode(Line(event: event)) + [UInt8(ascii: "\n")] }
        try data.write(to: url, options: .atomic)
    }
}
