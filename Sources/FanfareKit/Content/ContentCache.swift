import Foundation

/// Fetched content in files, with the entity tags by which the server says that it is unchanged.
///
/// For one task at a time. The least recently used content is deleted first when the cache is full.
struct ContentCache {
    /// The largest size of all contents together, in bytes.
    static let bytesMax = 50 * 1024 * 1024

    private let folder: URL

    private struct Facts: Codable {
        var id: String
        var tag: String?
        var contentType: String
    }

    init(_ folder: URL) throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// The server's tag of a cached content; nil when it is not cached.
    func tag(_ id: String) -> String? { facts(id)?.tag }

    /// Reads a cached content, which counts as a use.
    func read(_ name: RichContentName, now: Date) -> RichContent? {
        guard let facts = facts(name.id), let data = try? Data(contentsOf: url(name.id, "data")) else { return nil }
        try? FileManager.default.setAttributes([.modificationDate: now], ofItemAtPath: url(name.id, "data").path)
        return RichContent(name: name, contentType: facts.contentType, data: data)
    }

    /// Keeps content; throws when it cannot be written.
    func write(_ content: RichContent, tag: String?) throws {
        let facts = Facts(id: content.name.id, tag: tag, contentType: content.contentType)
        try content.data.write(to: url(facts.id, "data"), options: .atomic)
        // The facts follow the bytes: without its facts, content counts as absent.
        try JSONEncoder().encode(facts).write(to: url(facts.id, "json"), options: .atomic)
        trim(besides: facts.id)
    }

    /// Deletes everything.
    func removeAll() {
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        for file in files { try? FileManager.default.removeItem(at: file) }
    }

    private func facts(_ id: String) -> Facts? {
        guard let data = try? Data(contentsOf: url(id, "json")),
            let facts = try? JSONDecoder().decode(Facts.self, from: data), facts.id == id
        else { return nil }
        return facts
    }

    /// Ids contain characters that file names may not, and Base64 is case-sensitive, as some file systems are not.
    private func url(_ id: String, _ kind: String) -> URL {
        let name = id.utf8.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
        return folder.appendingPathComponent(String(name.prefix(200))).appendingPathExtension(kind)
    }

    private func trim(besides id: String) {
        let keys: Set<URLResourceKey> = [.fileSizeKey, .contentModificationDateKey]
        let files =
            (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: Array(keys))) ?? []
        var entries: [(url: URL, size: Int, used: Date)] = []
        for file in files where file.pathExtension == "data" {
            guard let values = try? file.resourceValues(forKeys: keys) else { continue }
            entries.append((file, values.fileSize ?? 0, values.contentModificationDate ?? .distantPast))
        }
        var total = entries.reduce(0) { $0 + $1.size }
        let kept = url(id, "data").lastPathComponent
        for entry in entries.sorted(by: { $0.used < $1.used }) where total > Self.bytesMax {
            guard entry.url.lastPathComponent != kept else { continue }
            try? FileManager.default.removeItem(at: entry.url.deletingPathExtension().appendingPathExtension("json"))
            try? FileManager.default.removeItem(at: entry.url)
            total -= entry.size
        }
    }
}
