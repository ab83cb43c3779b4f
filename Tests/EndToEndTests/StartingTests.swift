import Foundation
import Servers
import Testing

extension EndToEnd {
    /// A worker that cannot start gives the reason in one line, with the matching exit code.
    @Suite("A worker that cannot start")
    struct Starting {
        @Test func `without a broker`() async throws {
            try await PrivateFleet.with { fleet in
                let port = try LoopbackPorts.free(1)[0]
                try configure(fleet, url: "amqp://guest:guest@127.0.0.1:\(port)")
                try await expect(fleet, exit: 69, saying: "127.0.0.1:\(port)")
            }
        }

        @Test func `with a wrong password`() async throws {
            try await PrivateFleet.with { fleet in
                let node = try await PrivateBroker.node()
                try configure(fleet, url: "amqp://guest:hunter2@127.0.0.1:\(node.port)")
                let errors = try await expect(fleet, exit: 78, saying: "guest")
                #expect(!errors.contains("hunter2"))
            }
        }

        @Test func `without topology`() async throws {
            try await PrivateFleet.with { fleet in
                let name = "fanfare-e2e-empty-\(UInt32.random(in: 0 ... .max))"
                let node = try await PrivateBroker.node()
                try await PrivateBroker.addVirtualHost(name)
                try configure(fleet, url: "\(node.url)/\(name)")
                try await expect(fleet, exit: 78, saying: "fanfare topology apply")
                try await PrivateBroker.removeVirtualHost(name)
            }
        }

        @Test func `with a key file that cannot be read`() async throws {
            try await PrivateFleet.with { fleet in
                let key = "\(fleet.folder)/AuthKey_SIMKEY0001.p8"
                try FileManager.default.removeItem(atPath: key)
                try await expect(fleet, exit: 78, saying: key)
                try Data("no key".utf8).write(to: URL(fileURLWithPath: key))
                try await expect(fleet, exit: 78, saying: key)
            }
        }

        @Test func `without the file of the apps`() async throws {
            try await PrivateFleet.with { fleet in
                try FileManager.default.removeItem(atPath: fleet.folder + "/apps.yaml")
                try await expect(fleet, exit: 78, saying: "apps.yaml")
            }
        }

        private func configure(_ fleet: PrivateFleet, url: String) throws {
            try PrivateFleet.configure(fleet.folder, url: url, managementPort: 1)
        }

        @discardableResult
        private func expect(_ fleet: PrivateFleet, exit: Int32, saying text: String) async throws -> String {
            let outcome = try await fleet.run("worker")
            #expect(outcome.exit == exit && !outcome.isSignalled, "\(outcome.errors)")
            let lines = outcome.errors.split(separator: "\n")
            #expect(lines.count == 1, "\(outcome.errors)")
            #expect(lines.first?.hasPrefix("fanfare: ") == true)
            #expect(outcome.errors.contains(text), "\(outcome.errors)")
            #expect(outcome.output.isEmpty)
            return outcome.errors
        }
    }
}
