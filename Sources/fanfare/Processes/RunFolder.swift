import Campaigns
import Fleet
import Foundation

/// The folder in which a demo or a bench lives: configuration, ledger, keys, logs.
struct RunFolder: Sendable {
    /// Without a slash at its end.
    let path: String
    /// Whether nobody asked for this folder, so that nobody misses it when all went well.
    let isTemporary: Bool

    /// Makes the folder, a temporary one named after `command` when none is wanted; one that holds something is left
    /// alone.
    init(_ wanted: String?, command: String) throws {
        isTemporary = wanted == nil
        let manager = FileManager.default
        let url = wanted.map { URL(fileURLWithPath: $0) }
        let name = "fanfare-\(command)-\(ProcessInfo.processInfo.processIdentifier)"
        path = (url ?? manager.temporaryDirectory.appendingPathComponent(name)).standardizedFileURL.path
        if let found = try? manager.contentsOfDirectory(atPath: path), !found.isEmpty {
            throw CommandFailure(.usage, "\(path) is not empty: give --folder a new folder")
        }
        do {
            try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw CommandFailure(.failed, "the folder \(path) cannot be made: \(error.localizedDescription)")
        }
    }

    /// The configuration of everything that is started.
    var configuration: String { path + "/fanfare.yaml" }
    /// The ledger.
    var ledger: String { path + "/fanfare.db" }
    /// The devices.
    var audience: String { path + "/devices.csv" }
    /// The simulator's keys, authority and `apps.yaml`.
    var simulator: String { path + "/simulator" }

    /// What message ids are signed with.
    var messageKey: String { path + "/message.key" }

    /// Makes a key for message ids.
    func writeMessageKey() throws {
        var random = SystemRandomNumberGenerator()
        let key = HexText.of((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
        try write("1 \(key)\n", to: messageKey)
    }

    /// Writes the configuration file; it may hold passwords, so that only its owner can read it.
    func writeConfiguration(_ broker: Configuration, store: String = "sqlite:fanfare.db") throws {
        func setting(_ name: String) -> String? { broker.settings.first { $0.key.name == name }?.text }
        let management = setting("amqp.management_url")
        let broker = setting("amqp.url") ?? ""
        var lines = ["amqp:", "  url: \(JSONValue.string(broker).text)"]
        if let management { lines.append("  management_url: \(JSONValue.string(management).text)") }
        lines += ["store:", "  url: \(JSONValue.string(store).text)", "apps:", "  file: simulator/apps.yaml", ""]
        try write(lines.joined(separator: "\n"), to: configuration)
    }

    /// For its owner's eyes only.
    private func write(_ text: String, to file: String) throws {
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: file, contents: Data(text.utf8), attributes: attributes) else {
            throw CommandFailure(.failed, "the file \(file) cannot be written")
        }
    }

    /// Whether there is nothing to look at afterwards.
    var isEmpty: Bool { (try? FileManager.default.contentsOfDirectory(atPath: path))?.isEmpty ?? true }

    /// Removes it with all that is in it.
    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
