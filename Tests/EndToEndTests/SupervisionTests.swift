import Foundation
import Glibc
import Servers
import Testing
import Transport

extension EndToEnd {
    /// A worker under a service manager (`Type=notify`).
    @Suite("Supervision")
    struct Supervision {
        @Test func `a worker says that it is ready, lives, reads again and ends`() async throws {
            try await PrivateFleet.with { fleet in
                let address = fleet.folder + "/notify"
                let listener = try NotifyListener(address: address)
                let worker = try FanfareProcess(
                    ["worker", "--config", "fanfare.yaml"],
                    folder: fleet.folder,
                    environment: ["NOTIFY_SOCKET": address, "WATCHDOG_USEC": "400000"]
                )
                var heard: [String] = []
                defer { worker.kill() }
                func hears(_ what: String, _ count: Int = 1) async throws {
                    try await eventually("\(what) × \(count)") {
                        guard worker.isRunning else { throw FanfareProcess.Failure(worker.errors) }
                        heard += listener.assignments()
                        return heard.count { $0 == what } >= count
                    }
                }
                try await hears("READY=1")
                #expect(try await worker.probe("/readyz").status == 200)
                try await hears("WATCHDOG=1", 3)
                try await hears("STATUS=idle")
                worker.signal(SIGTSTP)
                try await hears("STATUS=not ready: quiet: the worker was told to take no work (SIGTSTP)")
                worker.signal(SIGCONT)
                try await hears("STATUS=idle", 2)
                #expect(heard.count { $0 == "READY=1" } == 1)
                worker.signal(SIGHUP)
                try await hears("RELOADING=1")
                try await hears("READY=1", 2)
                worker.terminate()
                #expect(try await worker.ended(within: .seconds(30)).exit == 0)
                heard += listener.assignments()
                #expect(heard.count { $0 == "STOPPING=1" } == 1)
                #expect(heard.last?.hasPrefix("READY") == false)
            }
        }

        @Test func `without a broker nobody hears that the worker is ready`() async throws {
            try await PrivateFleet.with { fleet in
                let port = try LoopbackPorts.free(1)[0]
                try PrivateFleet.configure(
                    fleet.folder,
                    url: "amqp://guest:guest@127.0.0.1:\(port)",
                    managementPort: 1
                )
                let address = fleet.folder + "/notify"
                let listener = try NotifyListener(address: address)
                let worker = try FanfareProcess(
                    ["worker", "--config", "fanfare.yaml"],
                    folder: fleet.folder,
                    environment: ["NOTIFY_SOCKET": address]
                )
                #expect(try await worker.ended().exit == 69)
                #expect(listener.assignments() == [])
            }
        }
    }
}
