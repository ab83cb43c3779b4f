import Foundation

/// The events that the server has not taken yet, in a file: a line each, and a line for each that is done.
///
/// A line is written before anybody is told that an event was noted, so that an app that is killed loses none. A line
/// that was cut off is left out. One thread at a time.
final class EventJournal {
    /// Lines of done events after which the file is written anew.
    private static let doneMax = 1000

    private let url: URL
    private var file: FileHandle?
    private var done = 0

    private struct Line: Codable {
        var event: TrackedEvent?
        var done: [UUID]?
    }

    /// Opens or makes the file; its folder is there.
    init(_ url: URL) {
        self.url = url
    }

    /// All that is not done, in the order in which it was noted.
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

    /// Notes an event; throws when it cannot be written.
    func note(_ event: TrackedEvent) throws { try append(Line(event: event)) }

    /// Notes that events are done; `rest` are those that are not.
    func finish(_ ids: [UUID], rest: [TrackedEvent]) throws {
        guard !ids.isEmpty else { return }
        done += ids.count
        guard done < Self.doneMax, !rest.isEmpty else { return try rewrite(rest) }
        try append(Line(done: ids))
    }

    private func append(_ line: Line) throws {
        let file = try self.file ?? open()
        // A line that was cut off before ends here.
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
