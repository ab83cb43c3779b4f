import Foundation

/// Events that an extension of the app noted, for the app to take over: a file each, for two processes write here.
///
/// May be used from any process; a file is there whole or not at all.
struct EventInbox: Sendable {
    private let folder: URL

    /// The box in the kit's folder.
    init(_ folder: URL) {
        self.folder = folder.appendingPathComponent("inbox", isDirectory: true)
    }

    /// Leaves an event; throws when it cannot be written.
    func leave(_ event: TrackedEvent) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent(event.id.uuidString).appendingPathExtension("json")
        try TrackedEvent.encoder.encode(event).write(to: file, options: .atomic)
    }

    /// What lies there, the oldest first; what cannot be read is thrown away.
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
