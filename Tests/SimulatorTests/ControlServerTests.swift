import Glibc
import Simulator
import Testing

@Suite(.timeLimit(.minutes(10))) struct ControlServerTests {
    private func withSimulator(_ body: (PushSimulator.Running, ControlClient) async throws -> Void) async throws {
        let simulator = try await PushSimulator.start()
        do {
            try await body(simulator, ControlClient(port: try #require(simulator.controlPort)))
        } catch {
            try await simulator.stop()
            throw error
        }
        try await simulator.stop()
    }

    private static let token = String(repeating: "0a", count: 32)

    @Test func `statistics, tokens and last requests are told`() async throws {
        try await withSimulator { simulator, control in
            _ = try await TestClient.send([Self.token, Self.token], to: simulator)
            // The client's connection may count as open before the answer, and as closed after it.
            let before = simulator.statistics.json
            let statistics = try await control.get("/stats")
            #expect(statistics.status == 200)
            #expect([before, simulator.statistics.json].contains { statistics.body == $0 + "\n" })
            #expect(statistics.body.contains(#""accepted":2,"#))
            #expect(statistics.body.contains(#""repeated_tokens":1,"#))
            let tokens = try await control.get("/tokens")
            let line =
                #"{"token":"\#(Self.token)","requests":2,"accepted":2,"refused":0,"last_status":200}"# + "\n"
            #expect(tokens.body == line)
            #expect(try await control.get("/last").body.contains("/3/device/\(Self.token)"))
            #expect(try await control.get("/livez").status == 200)
        }
    }

    @Test func `what came to a device is taken once, payload and all, and what it missed when it is back`() async throws
    {
        try await withSimulator { simulator, control in
            let take = "/device/take?token=\(Self.token)"
            #expect(try await control.post(take, "").status == 404)
            _ = try await control.post("/device?token=\(Self.token)&state=online", "")
            _ = try await TestClient.send([Self.token], to: simulator)
            let came = try await control.post(take, "")
            #expect(came.status == 200)
            #expect(came.body.contains(#""shown":true"#) && came.body.contains(#""payload":{"aps":{"#), "\(came.body)")
            #expect(try await control.post(take, "").body == "[]\n")

            _ = try await control.post("/device?token=\(Self.token)&state=offline", "")
            _ = try await TestClient.send([Self.token], to: simulator)
            #expect(try await control.post(take, "").body == "[]\n")
            _ = try await control.post("/device?token=\(Self.token)&state=online", "")
            #expect(try await control.post(take, "").body.contains(#""payload":{"aps":{"#))
            #expect(try await control.post("/device/take?token=x", "").status == 400)
        }
    }

    @Test func `many tokens come in pages, every one of them`() async throws {
        try await withSimulator { simulator, control in
            let tokens = (0..<5000).map { number in
                let tail = String(number)
                return String(repeating: "0", count: 64 - tail.count) + tail
            }
            _ = try await TestClient.send(tokens, to: simulator)
            let lines = try await control.get("/tokens").body.split(separator: "\n")
            #expect(lines.count == 5000)
            #expect(Set(lines.map { $0.dropFirst(10).prefix(64) }) == Set(tokens.map { $0[...] }))
        }
    }

    @Test(arguments: [
        ("/faults?dead=1&dead_since=5", ""), ("/faults", #"{"dead":1,"dead_since":"5"}"#),
        ("/faults?dead=%31", #"{"dead_since":5}"#),
    ])
    func `faults are set by query and by JSON, and hold for the next request`(
        _ path: String,
        _ body: String
    ) async throws {
        try await withSimulator { simulator, control in
            #expect(try await TestClient.send([Self.token], to: simulator).statuses == [200])
            let answer = try await control.post(path, body)
            #expect(answer.status == 200)
            #expect(answer.body == simulator.faults.json + "\n")
            #expect(simulator.faults.deadSinceSeconds == 5)
            #expect(try await TestClient.send([Self.token], to: simulator).statuses == [410])
            #expect(try await control.post("/reset", "").status == 200)
            #expect(simulator.statistics.requests == 0)
            #expect(simulator.faults.dead == 1)
        }
    }

    @Test(arguments: [
        ("/faults?deda=1", "", 400), ("/faults?dead=2", "", 400), ("/faults?dead", "", 400),
        ("/faults?dead=%zz", "", 400), ("/faults", "[1]", 400), ("/faults", #"{"dead":[1]}"#, 400),
        ("/faults?latency=5", #"{"dead":"x"}"#, 400), ("/fault", "", 404),
    ])
    func `what cannot be set is refused whole, with the reason`(
        _ path: String,
        _ body: String,
        _ status: Int
    ) async throws {
        try await withSimulator { simulator, control in
            let answer = try await control.post(path, body)
            #expect(answer.status == status)
            #expect(answer.body.hasPrefix(#"{"error":""#))
            #expect(simulator.faults == Faults())
        }
    }

    @Test func `credentials are written for a sender to use`() async throws {
        var template = Array("/tmp/fanfare-simulator-XXXXXX".utf8CString)
        let path = template.withUnsafeMutableBufferPointer { buffer -> String? in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        let directory = try #require(path)
        let identity = try PushSimulator.Identity()
        try identity.write(to: directory, endpoint: "https://127.0.0.1:8443")
        #expect(read("\(directory)/ca.pem") == identity.authorityPEM)
        #expect(read("\(directory)/AuthKey_SIMKEY0001.p8") == identity.credentials.privateKeyPEM)
        let apps = String(decoding: read("\(directory)/apps.yaml") ?? [], as: UTF8.self)
        #expect(apps.contains("endpoint: https://127.0.0.1:8443"))
        #expect(apps.contains("key_file: AuthKey_SIMKEY0001.p8"))
        let keys = ["AuthKey_SIMKEY0001.p8", "AuthKey_SIMKEY0002.p8", "client.key", "vapid.pem"]
        for name in keys + ["ca.pem", "client.pem", "apps.yaml"] {
            #expect(unlink("\(directory)/\(name)") == 0)
        }
        #expect(rmdir(directory) == 0)
        #expect(throws: PushSimulator.WriteError.self) {
            try identity.write(to: directory, endpoint: "https://127.0.0.1:8443")
        }
    }

    private func read(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }
}
