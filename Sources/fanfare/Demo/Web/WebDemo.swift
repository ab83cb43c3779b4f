import Bench
import Campaigns
import Foundation
import Operations
import PushProviders
import Settings
import TLS
import Transport

/// A site that gets pushes, with a worker and a server behind it; the owner of `fleet` stops what it starts.
struct WebDemo: Sendable {
    let broker: Configuration
    let folder: RunFolder
    let fleet: ChildProcesses
    let site: DemoSiteServer

    /// The addresses of a demo that runs.
    struct Addresses: Sendable {
        let site: String
        let edge: String
        let dashboard: String

        /// The addresses, for scripts.
        var json: JSONValue { ["site": .string(site), "edge": .string(edge), "dashboard": .string(dashboard)] }
    }

    /// Starts everything and returns where it is.
    func start() async throws -> Addresses {
        await (try DemoBroker.connect(broker)).close()
        let vapidKey = try writeKeys()
        try folder.writeConfiguration(broker, apps: "apps.yaml")
        try folder.write(apps(vapidKey: vapidKey), to: folder.path + "/apps.yaml")
        let option = ["--config", folder.configuration]
        _ = try await fleet.run("topology", ChildProcesses.fanfare(["topology", "apply"] + option))
        // Before the worker, which reads the file of keys.
        let create = ["app", "key", "create", DemoJob.app, "--name", "site"] + option
        let made = try await fleet.run("key", ChildProcesses.fanfare(create))
        // The log holds the remark for people, too.
        guard let key = made.split(separator: "\n").first(where: { $0.hasPrefix("fik_") }) else {
            throw CommandFailure(.failed, "no integration key was made: \(made)")
        }
        try await fleet.start("worker", ChildProcesses.fanfare(["worker"] + option))
        let server = try ChildProcesses.fanfare(["server", "--listen", "127.0.0.1:0"] + option)
        try await fleet.start("server", server, variables: ["FANFARE_SERVER_EDGE_LISTEN": "127.0.0.1:0"])
        let edge = "http://127.0.0.1:\(try await fleet.listeningPort(of: "server", for: .edge))"
        site.publish(DemoSite(edge: edge, key: String(key), vapidKey: vapidKey))
        let dashboard = "http://127.0.0.1:\(try await fleet.listeningPort(of: "server"))"
        return Addresses(site: site.origin + "/", edge: edge, dashboard: dashboard)
    }

    /// Writes a VAPID key and a key for message ids; returns the public half of the first, as browsers take it.
    private func writeKeys() throws -> String {
        let pair = try ES256.generateKey()
        let key = try ES256.SigningKey(pem: pair.privateKeyPEM, source: "the demo's VAPID key")
        try folder.write(String(decoding: pair.privateKeyPEM, as: UTF8.self), to: folder.path + "/vapid.pem")
        try folder.writeMessageKey()
        return String(decoding: Base64URL.encode(try key.publicKey()), as: UTF8.self)
    }

    private func apps(vapidKey: String) -> String {
        """
        apps:
          \(DemoJob.app):
            webpush:
              subject: mailto:push@example.com
              public_key: \(vapidKey)
              private_key_file: vapid.pem
            edge:
              message_key_file: message.key
              integration_keys_file: news.keys
              web_origins: ["\(site.origin)"]
              device_tags: true

        """
    }
}
