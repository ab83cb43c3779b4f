import Foundation

/// Images and files of in-app messages, fetched in advance so that a message can be shown at once.
///
/// A ZIP is unpacked into a folder. May be used from any task: an asset is either complete or absent.
struct AssetStore: Sendable {
    /// The largest asset in bytes.
    static let bytesMax = 10 * 1024 * 1024
    /// The seconds for fetching one asset.
    static let seconds: TimeInterval = 60
    /// The seconds for which an asset that no message names any more is kept, because it may still be on the screen.
    static let kept: TimeInterval = 86_400

    let folder: URL

    /// Opens the store in the kit's folder.
    init(_ folder: URL) {
        self.folder = folder.appendingPathComponent("assets", isDirectory: true)
    }

    /// Fetches all missing assets; returns the reason for the first failure, or nil when all are present.
    func load(_ urls: [URL], now: Date) async -> String? {
        for url in urls {
            do { try await load(url, now: now) } catch { return "\(url.lastPathComponent): \(error)" }
        }
        return nil
    }

    /// The location of an asset: a file, or the folder of an unpacked ZIP; nil when it is absent.
    func location(_ url: URL) -> URL? {
        if url.isFileURL { return FileManager.default.fileExists(atPath: url.path) ? url : nil }
        let target = target(url)
        return FileManager.default.fileExists(atPath: target.path) ? target : nil
    }

    /// Deletes assets that no message names and that were not needed for a day.
    func keep(_ urls: [URL], now: Date) {
        let names = Set(urls.map { target($0).lastPathComponent })
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        for file in files where !names.contains(file.lastPathComponent) {
            let used = (try? FileManager.default.attributesOfItem(atPath: file.path))?[.modificationDate] as? Date
            guard (used ?? .distantPast) + Self.kept < now else { continue }
            try? FileManager.default.removeItem(at: file)
        }
    }

    /// Deletes everything.
    func removeAll() { try? FileManager.default.removeItem(at: folder) }

    private func load(_ url: URL, now: Date) async throws {
        if let location = location(url) {
            if !url.isFileURL { touch(location, now) }
            return
        }
        guard !url.isFileURL else { throw DownloadProblem.failed("there is no such file") }
        let target = target(url)
        let fetched = folder.appendingPathComponent("fetched-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: fetched) }
        let type = try await Download(bytesMax: Self.bytesMax, seconds: Self.seconds).fetch(url, to: fetched)
        if type == "application/zip" || url.pathExtension.lowercased() == "zip" {
            try unpack(fetched, to: target)
        } else {
            // Another task may have been faster.
            if location(url) == nil { try FileManager.default.moveItem(at: fetched, to: target) }
        }
        touch(target, now)
    }

    private func unpack(_ file: URL, to target: URL) throws {
        let part = folder.appendingPathComponent("unpacked-\(UUID().uuidString)", isDirectory: true)
        defer { try? FileManager.default.removeItem(at: part) }
        try ZIPArchive(Data(contentsOf: file)).unpack(to: part)
        if !FileManager.default.fileExists(atPath: target.path) {
            try FileManager.default.moveItem(at: part, to: target)
        }
    }

    private func touch(_ file: URL, _ now: Date) {
        try? FileManager.default.setAttributes([.modificationDate: now], ofItemAtPath: file.path)
    }

    /// The name is a hash (FNV-1a, 64 bits), because addresses contain characters that file names may not.
    private func target(_ url: URL) -> URL {
        let name = url.absoluteString.utf8.reduce(into: UInt64(0xCBF2_9CE4_8422_2325)) { hash, byte in
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        let ending = url.pathExtension.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(8)
        let file = folder.appendingPathComponent(String(name, radix: 16))
        return ending.isEmpty || ending == "zip" ? file : file.appendingPathExtension(String(ending))
    }
}
