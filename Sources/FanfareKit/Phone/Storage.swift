import Foundation

/// Values that outlive the app, as files in one folder; for one task at a time.
struct Storage {
    let folder: URL

    /// Creates the folder when it does not exist.
    init(_ folder: URL) throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Reads a stored value; nil when there is none or it cannot be read.
    func read<Value: Decodable>(_ type: Value.Type, _ name: String) -> Value? {
        guard let data = try? Data(contentsOf: folder.appendingPathComponent(name)) else { return nil }
        return try? JSONDecoder().decode(type, from: data)
    }

    /// Stores a value atomically: a process killed in the middle leaves the old or the new value.
    func write(_ value: some Encodable, _ name: String) throws {
        let url = folder.appendingPathComponent(name)
        try JSONEncoder().encode(value).write(to: url, options: .atomic)
        #if !os(Windows)
        // The file may contain the device's secret.
        try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
        #endif
    }
}
