import Campaigns
import Foundation
import Glibc
import Servers
import Simulator
import Store
import Testing
import Transport

extension EndToEnd {
    /// All processes of a fleet are replaced, one after another, while it sends.
    @Suite("Rolling restart")
    struct RollingRestart {
        private static let devices = 20_000

        @Test func `a campaign goes through it with nothing lost, nothing repeated, and probes that tell the truth`()
            async throws
        {
            // So slow that the restarts happen meanwhile: 400 streams, each of which takes two seconds.
            try await PrivateFleet.with(faults: ["latency": "2000", "streams": "50"]) { fleet in
                var workers = [try await fleet.startWorker(), try await fleet.startWorker()]
                let port = try LoopbackPorts.free(1)[0]
                var server = try await start(fleet, port)
                try await fleet.putList("fans", TestDevices.tokens(Self.devices))
                let answer = try await post(TestJob("derby", list: "fans"), port)
                #expect(answer.status == 202, "\(String(decoding: answer.body, as: UTF8.self))")
                try await fleet.requests(reach: 200)

                for index in workers.indices {
                    // First the new one, then the old one, as Deployments and operators do it.
                    let new = try await fleet.startWorker()
                    try await eventually("the new worker is ready") { try await new.probe("/readyz").status == 200 }
                    #expect(try await end(workers[index]).exit == 0)
                    workers[index] = new
                }
                try await eventually("the server is ready") { try await probe(port) == 200 }
                server.terminate()
                #expect(try await server.ended(within: .seconds(30)).exit == 0)
                #expect(fleet.simulator.statistics.requests < UInt64(Self.devices), "the restarts came too late")
                try await fleet.simulator.changeFaults { faults throws(FaultsError) in
                    try faults.set("latency", to: "0")
                }
                server = try await start(fleet, port)
                defer { server.kill() }
                // The new one knows the campaign that the old one accepted: the job is answered with it.
                #expect(try await post(TestJob("derby", list: "fans"), port).status == 200)

                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == Self.devices)
                #expect(fleet.simulator.statistics.accepted == UInt64(Self.devices))
                #expect(fleet.simulator.statistics.repeatedTokens == 0)
            }
        }

        private func start(_ fleet: PrivateFleet, _ port: Int) async throws -> FanfareProcess {
            let server = try FanfareProcess(
                ["server", "--config", "fanfare.yaml", "--listen", "127.0.0.1:\(port)"],
                folder: fleet.folder
            )
            try await eventually("the server is up") {
                guard server.isRunning else { throw FanfareProcess.Failure(server.errors) }
                return try await probe(port) == 200
            }
            return server
        }

        private func probe(_ port: Int) async throws -> Int? {
            let client = HTTP1Client(host: "127.0.0.1", port: port, loop: PrivateBroker.loop)
            return try? await client.send("GET", "/readyz").status  // nobody listens yet
        }

        private func post(_ job: TestJob, _ port: Int) async throws -> HTTP1Client.Response {
            try await HTTP1Client(host: "127.0.0.1", port: port, loop: PrivateBroker.loop)
                .send(
                    "POST",
                    "/v1/campaigns",
                    headers: [HTTP1Client.Header("Content-Type", "application/json")],
                    body: job.body
                )
        }

        /// Ends a worker while polling its readiness: once unready, it must never report ready again.
        private func end(_ worker: FanfareProcess) async throws -> FanfareProcess.Outcome {
            #expect(try await worker.probe("/readyz").status == 200)
            worker.terminate()
            var answers: [Int] = []
            try await eventually("the worker has ended", within: .seconds(40)) {
                // Its probes end a moment before it does.
                if let answer = try? await worker.probe("/readyz") { answers.append(answer.status) }
                return !worker.isRunning
            }
            #expect(answers.contains(503), "nobody was told that it drains: \(answers)")
            #expect(answers.drop { $0 == 200 }.allSatisfy { $0 == 503 }, "\(answers)")
            return try await worker.ended()
        }
    }
}
