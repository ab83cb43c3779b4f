import Foundation

/// Sounds that came as rich content, as files in the folder where the system looks for an app's sounds.
///
/// May be used from any task: a file is either complete or absent.
struct SoundStore: Sendable {
    /// The largest number of files; the oldest is deleted first.
    static let filesMax = 20
    private static let prefix = "fanfare-"

    /// `Library/Sounds` of the app or of its group.
    let folder: URL

    private static let endings = [
        "audio/aiff": "aiff", "audio/x-aiff": "aiff", "audio/wav": "wav", "audio/x-wav": "wav", "audio/wave": "wav",
        "audio/vnd.wave": "wav", "audio/x-caf": "caf", "audio/mpeg": "mp3", "audio/mp3": "mp3",
    ]

    /// The file name of a content; nil when it is not a sound.
    static func name(_ content: RichContent) -> String? {
        guard let ending = endings[content.contentType] else { return nil }
        let id = content.name.id.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "_" }
        return prefix + String(String(id).prefix(100)) + "." + ending
    }

    /// The name by which a notification plays it; nil for types that notifications cannot play, such as MP3.
    static func nameForNotification(_ content: RichContent) -> String? {
        name(content).flatMap { $0.hasSuffix(".mp3") ? nil : $0 }
    }

    /// The file of a content; nil when it does not exist.
    func location(_ content: RichContent) -> URL? {
        guard let name = Self.name(content) else { return nil }
        let file = folder.appendingPathComponent(name)
        return FileManager.default.fileExists(atPath: file.path) ? file : nil
    }

    /// Writes a sound and ignores other content; throws when the sound cannot be written.
    func keep(_ content: RichContent, now: Date) throws {
        guard let name = Self.name(content) else { return }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent(name)
        try content.data.write(to: file, options: .atomic)
        try FileManager.default.setAttributes([.modificationDate: now], ofItemAtPath: file.path)
        trim()
    }

    /// Deletes all sounds that came from the server.
    func removeAll() { for file in files() { try? FileManager.default.removeItem(at: file.url) } }

    private func files() -> [(url: URL, at: Date)] {
        let all = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return all.filter { $0.lastPathComponent.hasPrefix(Self.prefix) }
            .map { file in
                let facts = try? FileManager.default.attributesOfItem(atPath: file.path)
                return (file, facts?[.modificationDate] as? Date ?? .distantPast)
            }
            .sorted { $0.at < $1.at }
    }

    private func trim() {
        for file in files().dropLast(Self.filesMax) { try? FileManager.default.removeItem(at: file.url) }
    }
}
