import Foundation

/// Files that only their owner may read.
enum PrivateFile {
    /// Replaces or creates a file; a reader sees the old content or the new one, never a mix.
    static func replace(_ path: String, _ data: Data) throws {
        let draft = path + ".new"
        try? FileManager.default.removeItem(atPath: draft)  // left by an interrupted attempt
        let made = FileManager.default.createFile(
            atPath: draft,
            contents: nil,
            attributes: [.posixPermissions: 0o600]
        )
        guard made, let handle = FileHandle(forWritingAtPath: draft) else { throw CocoaError(.fileWriteUnknown) }
        try handle.write(contentsOf: data)
        try handle.synchronize()
        try handle.close()
        guard rename(draft, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
