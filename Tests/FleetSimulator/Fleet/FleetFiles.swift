import Foundation
import Logging
import Settings

/// The files of a simulated fleet, read once before the first run: configuration, apps and keys.
struct FleetFiles: Sendable {
    let configuration: Configuration
    let apps: [AppConfiguration]
    /// The folder that they are in.
    let folder: String

    /// The app of all simulated campaigns.
    static let app = "news"
    /// The name of the file of the provider token's key.
    static let keyFile = "AuthKey_SIMULATED1.p8"

    /// Writes the files into a folder and reads them as a worker does.
    static func make(in folder: String, broker: String, provider: String) throws -> FleetFiles {
        // A ledger's file is on the simulated disk; the real one of this name, which an earlier run left, is a mark.
        for name in ["ledger.db", "ledger.db.lock"] { try? FileManager.default.removeItem(atPath: folder + "/" + name) }
        try write("ca.pem", authority, to: folder)
        try write(keyFile, key, to: folder)
        try write(
            "apps.yaml",
            """
            apps:
              \(app):
                apns:
                  topic: com.example.news
                  team_id: TEAMID0001
                  key_id: SIMULATED1
                  key_file: \(keyFile)
                  environment: production
                  endpoint: https://\(provider)
                  ca_file: ca.pem

            """,
            to: folder
        )
        try write(
            "fanfare.yaml",
            """
            amqp:
              url: amqp://fanfare:secret@\(broker)
            store:
              url: sqlite:ledger.db
            apps:
              file: apps.yaml
            worker:
              loops: 1
              unflushed: \(FlushLaw.answersMax)

            """,
            to: folder
        )
        let configuration = try ConfigurationSources(
            environment: [:],
            file: "fanfare.yaml",
            workingDirectory: folder
        ).load()
        let apps = try AppsFile.read(path: configuration.appsFile, webhookHosts: configuration.webhookHosts)
        return FleetFiles(configuration: configuration, apps: apps, folder: folder)
    }

    private static func write(_ name: String, _ text: String, to folder: String) throws {
        let path = folder + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
}
