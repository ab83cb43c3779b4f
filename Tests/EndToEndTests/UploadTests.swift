import Foundation
import FoundationNetworking
import Servers
import Testing

extension EndToEnd {
    /// Uploads that try to exhaust the memory of the built server.
    @Suite("Uploads")
    struct Uploads {
        /// Returns the peak of the server's memory in bytes, by the kernel.
        private func peak(_ process: FanfareProcess) throws -> Int {
            let status = try String(contentsOfFile: "/proc/\(process.pid)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
        }

        @Test(arguments: ["text/csv", "application/x-ndjson"])
        func `25 MB of commas, quotes or brackets cost a fraction of it`(_ type: String) async throws {
            try await PrivateFleet.with { fleet in
                let port = try LoopbackPorts.free(1)[0]
                let listen = ["FANFARE_SERVER_LISTEN": "127.0.0.1:\(port)"]
                let server = try fleet.start(["server", "--config", "fanfare.yaml"], environment: listen)
                let url = try #require(URL(string: "http://127.0.0.1:\(port)/v1/apps/\(PrivateFleet.app)/lists/l"))
                try await eventually("the server listens") { LoopbackPorts.accepts(port) }
                func put(_ head: String, _ byte: UInt8) async throws -> Int {
                    var request = URLRequest(url: url)
                    request.httpMethod = "PUT"
                    request.setValue(type, forHTTPHeaderField: "content-type")
                    let body = Data(head.utf8) + Data(repeating: byte, count: 25_000_000)
                    request.httpBody = body
                    let (_, response) = try await URLSession.shared.data(for: request)
                    return try #require(response as? HTTPURLResponse).statusCode
                }
                let before = try peak(server)
                // A head that is right is of this type; the full suite has all pairs.
                let heads = FullSuite.isOn ? ["token,id\n", ""] : [type == "text/csv" ? "token,id\n" : ""]
                for byte in [UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "["), 0x0A] {
                    for head in heads { #expect(try await put(head, byte) == 422) }
                }
                let growth = try peak(server) - before
                #expect(growth < 24_000_000, "\(growth) bytes")
            }
        }
    }
}
