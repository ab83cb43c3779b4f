import Foundation
import Servers
import Testing

@testable import DeviceEdge

/// Descriptors held by others, so that none is left for a connection.
@Suite(.serialized) struct DescriptorTests {
    @Test func `without a descriptor for a connection no core spins, and it is accepted when there is one`()
        async throws
    {
        try await BuiltServer.with { server in
            let ports = [server.port, server.edgePort]
            // The open ones are all that it may have.
            let usual = try server.limitDescriptors(to: try server.openDescriptors())
            // A descriptor that was open only for a moment is free by now.
            var silent: [SilentConnection] = []
            for port in ports + ports { silent.append(try await SilentConnection(to: port)) }
            let begun = try server.processorTime()
            async let statuses = withThrowingTaskGroup(of: Int?.self) { group in
                for port in ports {
                    group.addTask { try await server.say(BuiltServer.request("GET", "/livez"), port: port).first }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try await lasting(.seconds(4))
            let spent = try server.processorTime() - begun
            // A listening socket polled in a loop takes a core.
            #expect(spent < 0.4, "\(spent) s of a processor in 4")
            _ = try server.limitDescriptors(to: usual)
            #expect(try await statuses == [200, 200])
            // Each of the two addresses has tried, with a pause twice as long each time.
            let tries = try await server.metric(#"fanfare_http_refused_total{reason="descriptors"}"#)
            #expect((2...30).contains(tries), "\(tries)")
            for connection in silent { await connection.close() }
        }
    }
}

extension BuiltServer {
    /// Returns the number of its open descriptors.
    fileprivate func openDescriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.pid)/fd").count
    }

    /// Limits its descriptors; returns the previous limit.
    fileprivate func limitDescriptors(to count: Int) throws -> Int {
        let limits = try String(contentsOfFile: "/proc/\(process.pid)/limits", encoding: .utf8)
        let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max open files") })
        let before = try #require(line.split(separator: " ").dropFirst(3).first.flatMap { Int($0) })
        let limit = try Process.run(
            URL(fileURLWithPath: "/usr/bin/prlimit"),
            arguments: ["--pid", "\(process.pid)", "--nofile=\(count):"]
        )
        limit.waitUntilExit()
        try #require(limit.terminationStatus == 0)
        return before
    }

    /// Returns the CPU seconds that it has used (proc(5): utime and stime, the 14th and 15th).
    fileprivate func processorTime() throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(process.pid)/stat", encoding: .utf8)
        let fields = try #require(text.split(separator: ")").last).split(separator: " ")
        let ticks = try #require(Double(fields[11])) + #require(Double(fields[12]))
        return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
