import Campaigns
import Foundation
import Logging
import Operations
import TLS
import Transport

/// The transport alone: TLS, HTTP/2 and sockets, no campaign.
package struct TransportScenario: Sendable {
    let stage: BenchStage

    /// The design's limit, as a share of h2load's CPU.
    static let target = 0.65

    /// Runs all pairs.
    func run() async throws -> BenchResult {
        _ = try BenchTools.h2load()
        let (requests, rounds) = (stage.devices(.transport), stage.rounds(.transport))
        let folder = try stage.folder(of: .transport)
        let peer = try await Peer.start("far-transport", below: folder.path, stage)
        let generator = try await LoadGenerator(.transport, folder: folder.path, peer: peer, stage: stage)
        var pairs: [BenchPair] = []
        var times: [Outcome] = []
        for number in 1...rounds {
            stage.say("pair \(number) of \(rounds)")
            let outcome = try await Self.measure(requests: requests, peer: peer, stage)
            let h2load = try await generator.run(requests: requests, distinctPaths: false)
            let paths = try await generator.run(requests: requests, distinctPaths: true)
            pairs.append(BenchPair(fanfare: outcome.run, h2load: h2load, h2loadPaths: paths))
            times.append(outcome)
        }
        await stage.processes.stop(peer.name)
        let done = BenchPairs(pairs: pairs)
        return BenchResult(
            scenario: .transport,
            subject: "\(requests) requests a run over one connection with 1000 streams",
            runs: done.table,
            metrics: done.metrics(target: Self.target) + [
                BenchMetric("p50_ms", "answer to a request, median", median(times, \.p50), unit: "ms"),
                BenchMetric("p99_ms", "answer to a request, 99 of 100", median(times, \.p99), unit: "ms"),
            ],
            notes: done.notes,
            details: pairs.map(\.json)
        )
    }

    /// The result of one run.
    struct Outcome {
        let run: BenchRun
        /// Milliseconds from a request to its answer.
        let p50: Double
        let p99: Double
    }

    private func median(_ outcomes: [Outcome], _ value: (Outcome) -> Double) -> Double {
        BenchNumber.median(outcomes.map(value))
    }

    /// Runs the transport once in a process of its own, on the sender's core.
    static func measure(requests: Int, peer: Peer, _ stage: BenchStage) async throws -> Outcome {
        let arguments = [
            "bench", "--transport", "--requests", "\(requests)", "--into", peer.endpoint, "--ca", peer.ca,
        ]
        let peerBefore = try peer.cpuSeconds()
        let text = try await stage.processes.run("transport", stage.fanfare(arguments, on: .sender))
        let peerCPU = try peer.cpuSeconds() - peerBefore
        let document = JSONReader.read(Array(text.utf8)).value
        func number(_ name: String) -> Double? {
            if case .number(let number)? = document?[name] { number.double } else { nil }
        }
        guard let measured = number("requests"), let cpu = number("cpu_s"), let seconds = number("s"),
            let p50 = number("p50_ms"), let p99 = number("p99_ms"), number("failures") == 0
        else { throw CommandFailure(.failed, "the transport did not get its answers: \(text)") }
        let run = BenchRun(
            requests: Int(measured),
            cpuSeconds: cpu,
            rate: measured / max(seconds, 1e-9),
            peerMicroseconds: peerCPU * 1e6 / Double(requests)
        )
        return Outcome(run: run, p50: p50, p99: p99)
    }

    /// Runs the transport in that process, and returns the result as a line of JSON.
    package static func measure(endpoint: String, ca: String, requests: Int) async throws -> String {
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
        let milliseconds = result.answerNanoseconds.map { Double($0) / 1e6 }
        func exact(_ value: Double) -> JSONValue { .number(JSONNumber(text: BenchNumber.text(value, digits: 9))) }
        let document = JSONValue.object([
            "requests": .number(JSONNumber(result.requests)), "failures": .number(JSONNumber(result.failures)),
            "cpu_s": exact(result.cpuSeconds), "s": exact(result.seconds),
            "p50_ms": exact(BenchNumber.percentile(0.5, of: milliseconds) ?? 0),
            "p99_ms": exact(BenchNumber.percentile(0.99, of: milliseconds) ?? 0),
        ])
        return document.text
    }
}
