import Foundation

/// What outlives the app, as files in one folder; one task at a time.
struct Storage {
    let folder: URL

    /// Makes the folder when it is not there.
    init(_ folder: URL) throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// A value as it was kept; nil when there is none that can be read.
    func read<Value: Decodable>(_ type: Value.Type, _ name: String) -> Value? {
        guard let data = try? Data(contentsOf: folder.appendingPathComponent(name)) else { return nil }
        return try? JSONDecoder().decode(type, from: data)
    }

    /// Keeps a value; whoever is killed meanwhile finds the old one or the new one.
    func write(_ value: some Encodable, _ name: String) throws {
        let url = folder.appendingPathComponent(name)
        try JSONEncoder().encode(value).write(to: url, options: .atomic)
        #if !os(Windows)
        // The device's secret is in it.
        try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
        #endif
    }
}
