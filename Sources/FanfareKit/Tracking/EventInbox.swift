import Foundation

/// Events recorded by an extension of the app, for the app to take over; one file each, because two processes write
/// here.
///
/// May be used from any process; a file is either complete or absent.
struct EventInbox: Sendable {
    private let folder: URL

    /// Opens the inbox in the kit's folder.
    init(_ folder: URL) {
        self.folder = folder.appendingPathComponent("inbox", isDirectory: true)
    }

    /// Writes an event; throws when it cannot be written.
    func leave(_ event: TrackedEvent) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent(event.id.uuidString).appendingPathExtension("json")
        try TrackedEvent.encoder.encode(event).write(to: file, options: .atomic)
    }

    /// Reads all events, the oldest first, and deletes unreadable files.
    func read() -> [(file: URL, event: TrackedEvent)] {
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        var found: [(file: URL, event: TrackedEvent)] = []
        for file in files where file.pathExtension == "json" {
            if let data = try? Data(contentsOf: file),
                let event = try? TrackedEvent.decoder.decode(TrackedEvent.self, from: data)
            {
                found.append((file, event))
            } else {
                remove(file)
            }
        }
        return found.sorted { $0.event.at < $1.event.at }
    }

    func remove(_ file: URL) { try? FileManager.default.removeItem(at: file) }
}
