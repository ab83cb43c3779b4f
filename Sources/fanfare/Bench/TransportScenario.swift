import Campaigns
import Foundation
import Logging
import TLS
import Transport

/// The transport alone: TLS, HTTP/2 and sockets, no campaign.
struct TransportScenario: Sendable {
    let requests: Int
    let pairs: Int
    let folder: String
    let cores: BenchCores
    let processes: BenchProcesses

    /// Runs all pairs; `say` is told how far it is.
    func run(_ say: @Sendable (String) -> Void) async throws -> BenchReport {
        _ = try BenchTools.h2load()
        let far = try await FarSide.start(folder: folder, processes)
        let generator = try await LoadGenerator(.transport, folder: folder, far: far, processes: processes)
        var done: [BenchPair] = []
        for number in 1...pairs {
            say("pair \(number) of \(pairs)")
            let fanfare = try await transport(far)
            let h2load = try await generator.run(requests: requests, distinctPaths: false)
            let paths = try await generator.run(requests: requests, distinctPaths: true)
            done.append(BenchPair(fanfare: fanfare, h2load: h2load, h2loadPaths: paths))
        }
        let subject = "transport alone, \(requests) requests a run over one connection with 1000 streams"
        return BenchReport(subject: subject, target: 0.65, cores: cores.text, pairs: done)
    }

    /// One run in a process of its own, on the sender's core.
    private func transport(_ far: FarSide) async throws -> BenchRun {
        let arguments = [
            "bench", "--transport", "--requests", "\(requests)", "--into", far.endpoint, "--ca", folder + "/ca.pem",
        ]
        let farBefore = try far.cpuSeconds()
        let text = try await processes.run("transport", fanfare: arguments, on: .sender)
        let farCPU = try far.cpuSeconds() - farBefore
        let document = JSONReader.read(Array(text.utf8)).value
        func number(_ name: String) -> Double? {
            if case .number(let number)? = document?[name] { number.double } else { nil }
        }
        guard let measured = number("requests"), let cpu = number("cpu_s"), let seconds = number("s"),
            number("failures") == 0
        else { throw CommandFailure(.failed, "the transport did not get its answers: \(text)") }
        return BenchRun(
            requests: Int(measured),
            cpuSeconds: cpu,
            rate: measured / max(seconds, 1e-9),
            farMicroseconds: farCPU * 1e6 / Double(requests)
        )
    }

    /// What that process does: the run itself, its figures as a line of JSON.
    static func measure(endpoint: String, ca: String, requests: Int) async throws -> String {
        guard let url = URL(string: endpoint), let host = url.host, let port = url.port,
            let pem = FileManager.default.contents(atPath: ca)
        else { throw CommandFailure(.usage, "--into is https://HOST:PORT, --ca a file that can be read") }
        let tls: TLSClientContext
        do throws(TLSError) {
            tls = try TLSClientContext(trust: .authorities(pem: Array(pem), source: ca))
        } catch {
            throw CommandFailure(.failed, error.message)
        }
        let bench = TransportBench(endpoint: HTTP2Endpoint(host: host, port: port), requests: requests, connections: 1)
        let result = try await bench.run(tls: tls, logger: Logger(label: "bench"))
        let document = JSONValue.object([
            "requests": .number(JSONNumber(result.requests)), "failures": .number(JSONNumber(result.failures)),
            "cpu_s": .number(JSONNumber(text: BenchNumber.text(result.cpuSeconds, digits: 9))),
            "s": .number(JSONNumber(text: BenchNumber.text(result.seconds, digits: 9))),
        ])
        return document.text
    }
}
