import Foundation

/// Files that only their owner may read.
enum PrivateFile {
    /// Puts a file in the place of another, or where none was: whoever reads it sees the old one or the new one.
    static func replace(_ path: String, _ data: Data) throws {
        let draft = path + ".new"
        try? FileManager.default.removeItem(atPath: draft)  // of an attempt that was interrupted
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
