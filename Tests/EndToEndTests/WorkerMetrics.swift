import Servers
import Testing
import Transport

/// A worker's `/metrics`, read as Prometheus reads it.
struct WorkerMetrics: Sendable {
    let text: String
    private let samples: [Substring: Double]

    init(_ text: String) {
        self.text = text
        var samples: [Substring: Double] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let blank = line.lastIndex(of: " ") else { continue }
            samples[line[..<blank]] = Double(line[line.index(after: blank)...])
        }
        self.samples = samples
    }

    /// The names of all families.
    var names: [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map { String($0.split(separator: " ")[2]) }
    }

    /// Returns the sum over all samples of a name whose labels contain all of these texts, for example
    /// `outcome="accepted"`.
    func sum(_ name: String, _ labels: String...) -> Int {
        var sum = 0.0
        for (series, value) in samples where series.prefix(while: { $0 != "{" }) == name {
            if labels.allSatisfy({ series.contains($0) }) { sum += value }
        }
        return Int(sum)
    }

    /// The requests that a `kill -9` at this moment may repeat: those that may be in flight, and the answers that may
    /// be uncommitted.
    var repeatsMost: Int { inFlightMost + sum("fanfare_unflushed_answers_limit") }

    /// The streams that may be open a moment later.
    ///
    /// Connections being made have theirs by then, and those limited to one stream until authentication have all of
    /// theirs. A new pool makes eight connections at once.
    var inFlightMost: Int {
        let (all, ready) = (sum("fanfare_connections"), sum("fanfare_connections", #"state="ready""#))
        return max(sum("fanfare_streams_limit") * all / max(ready, 1), max(all, 8) * SmallFlight.streams)
    }
}

extension FanfareProcess {
    /// Sends a GET to the address that the worker names in its first line.
    func probe(_ path: String) async throws -> HTTP1Client.Response {
        try await HTTP1Client(host: "127.0.0.1", port: try await probePort, loop: PrivateBroker.loop).send("GET", path)
    }

    /// Returns the worker's current metrics.
    func metrics() async throws -> WorkerMetrics {
        let answer = try await probe("/metrics")
        try #require(answer.status == 200)
        return WorkerMetrics(String(decoding: answer.body, as: UTF8.self))
    }

    /// The port of metrics and probes, which it names when it is up.
    var probePort: Int {
        get async throws {
            try await eventually("worker \(pid) says where its metrics are") { self.saidPort != nil }
            return try #require(saidPort)
        }
    }

    private var saidPort: Int? {
        guard let range = errors.firstRange(of: "http://127.0.0.1:") else { return nil }
        return Int(errors[range.upperBound...].prefix { $0.isNumber })
    }
}
