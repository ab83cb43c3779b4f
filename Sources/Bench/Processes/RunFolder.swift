import Campaigns
import Foundation
import Operations
package import Settings

/// The folder of a demo or a bench: configuration, ledger, keys, logs.
package struct RunFolder: Sendable {
    /// Without a slash at its end.
    package let path: String
    /// True if nobody asked for this folder, so that it may be removed after success.
    package let isTemporary: Bool

    /// Creates the folder, a temporary one named after `command` when none is wanted; throws if it is not empty.
    package init(_ wanted: String?, command: String) throws {
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

    /// The configuration of all started processes.
    package var configuration: String { path + "/fanfare.yaml" }
    /// The ledger.
    package var ledger: String { path + "/fanfare.db" }
    /// The devices.
    package var audience: String { path + "/devices.csv" }
    /// The simulator's keys, certificate authority and `apps.yaml`.
    package var simulator: String { path + "/simulator" }

    /// The key that signs message ids.
    package var messageKey: String { path + "/message.key" }

    /// Writes a key for message ids.
    package func writeMessageKey() throws {
        var random = SystemRandomNumberGenerator()
        let key = Hexadecimal.text((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
        try write("1 \(key)\n", to: messageKey)
    }

    /// Writes the configuration file, readable by its owner only, as it may hold passwords.
    ///
    /// `apps` is the file of the apps, relative to the folder.
    package func writeConfiguration(
        _ broker: Configuration,
        store: String = "sqlite:fanfare.db",
        apps: String = "simulator/apps.yaml"
    ) throws {
        func setting(_ name: String) -> String? { broker.settings.first { $0.key.name == name }?.text }
        let management = setting("amqp.management_url")
        let broker = setting("amqp.url") ?? ""
        var lines = ["amqp:", "  url: \(JSONValue.string(broker).text)"]
        if let management { lines.append("  management_url: \(JSONValue.string(management).text)") }
        lines += ["store:", "  url: \(JSONValue.string(store).text)", "apps:", "  file: \(apps)", ""]
        try write(lines.joined(separator: "\n"), to: configuration)
    }

    /// Writes a file that only its owner can read.
    package func write(_ text: String, to file: String) throws {
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: file, contents: Data(text.utf8), attributes: attributes) else {
            throw CommandFailure(.failed, "the file \(file) cannot be written")
        }
    }

    /// True if there is nothing to look at afterwards.
    package var isEmpty: Bool { (try? FileManager.default.contentsOfDirectory(atPath: path))?.isEmpty ?? true }

    /// Removes the folder with its contents.
    package func remove() { try? FileManager.default.removeItem(atPath: path) }
}
