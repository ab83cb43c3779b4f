import Foundation
import Simulator
import Testing

@Suite(.timeLimit(.minutes(10))) struct FCMSimulatorTests {
    private static func tokens(_ count: Int) -> [String] {
        (0..<count).map { number in
            let mark = String(number, radix: 36)
            // No digit pads it: every token must be different.
            return "d" + mark + String(repeating: "_", count: 21 - mark.count) + ":APA91b"
                + String(repeating: "Qz-_", count: 33)
        }
    }

    private func withSimulator(
        _ faults: [(String, String)] = [],
        _ body: (PushSimulator.Running, ControlClient) async throws -> Void
    ) async throws {
        var configuration = PushSimulator.Configuration()
        for (name, value) in faults { try configuration.faults.set(name, to: value) }
        configuration.fcm = FCMAccess()
        configuration.seed = 42
        let simulator = try await PushSimulator.start(configuration)
        do {
            try await body(simulator, ControlClient(port: try #require(simulator.controlPort)))
        } catch {
            try await simulator.stop()
            throw error
        }
        try await simulator.stop()
    }

    @Test func `both providers are played side by side, and counted each for itself and together`() async throws {
        try await withSimulator { simulator, control in
            let tokens = Self.tokens(50)
            let run = try await TestClient.sendByFCM(tokens + tokens.prefix(5), to: simulator)
            #expect(run.statuses.allSatisfy { $0 == 200 })
            #expect(run.answers[0]?.body.contains("\"name\": \"projects/fanfare-simulator/messages/0:") == true)
            let apns = String(repeating: "0a", count: 32)
            #expect(try await TestClient.send([apns], to: simulator).statuses == [200])
            let fcm = try #require(simulator.statistics(of: .fcm))
            #expect(fcm.accepted == 55)
            #expect(fcm.distinctTokens == 50)
            #expect(fcm.repeatedTokens == 5)
            #expect(fcm.own["token_fetches"] == 1)
            #expect(simulator.statistics(of: .apns)?.accepted == 1)
            #expect(simulator.statistics.accepted == 56)
            #expect(simulator.counts(ofToken: tokens[0], at: .fcm).accepted == 2)
            let text = try await control.get("/stats").body
            #expect(text.contains(#""providers":{"apns":{"requests":1,"#))
            #expect(text.contains(#""fcm":{"requests":55,"#))
            #expect(try await control.get("/tokens?provider=fcm").body.split(separator: "\n").count == 50)
            #expect(try await control.get("/last?provider=fcm").body.contains(tokens[49]))
            #expect(try await control.get("/tokens?provider=webpush").status == 400)
        }
    }

    @Test func `the faults that all providers know work at FCM as at APNs, and for one provider alone`() async throws {
        let faults = [
            ("dead", "0.1"), ("once_503", "0.1"), ("unavailable", "0.1"), ("once_429", "0.1"), ("bad_token", "0.05"),
            ("internal_error", "0.05"), ("not_for_topic", "0.05"), ("retry_after", "9"),
        ]
        try await withSimulator(faults) { simulator, control in
            let tokens = Self.tokens(400)
            let expected = simulator.faults(of: .fcm).expectedBehaviours(of: tokens, seed: 42, at: .fcm)
            let run = try await TestClient.sendByFCM(tokens, to: simulator)
            func count(_ status: Int) -> Int { run.statuses.count { $0 == status } }
            func behave(_ behaviour: Behaviour) -> Int { expected[behaviour] ?? 0 }
            #expect(count(404) == behave(.dead))
            #expect(count(503) == behave(.unavailableOnce) + behave(.unavailable))
            #expect(count(429) == behave(.throttledOnce))
            #expect(count(400) == behave(.badToken))
            #expect(count(500) == behave(.internalError))
            #expect(count(403) == behave(.notForTopic))
            #expect(count(200) == behave(.accept))
            #expect(run.answers.count { $0?.retryAfter == "9" } == behave(.unavailable))
            #expect(behave(.dead) > 0 && behave(.throttledOnce) > 0)
            #expect(simulator.statistics(of: .fcm)?.reasons["UNREGISTERED"] == UInt64(behave(.dead)))

            #expect(try await control.post("/faults?provider=fcm&dead=0&rules=d0=UNREGISTERED", "").status == 200)
            #expect(simulator.faults.dead == 0.1)
            #expect(simulator.faults(of: .fcm).dead == 0)
            #expect(try await TestClient.sendByFCM(Self.tokens(1), to: simulator).statuses == [404])
        }
    }

    @Test(arguments: [("goaway_every", "40"), ("drop_every", "40"), ("refuse", "1"), ("reset", "1")])
    func `connections suffer at FCM as at APNs`(_ name: String, _ value: String) async throws {
        try await withSimulator { simulator, _ in
            let bearer = try await TestClient.fetchAccessToken(from: simulator)
            try await simulator.changeFaults(of: .fcm) { faults throws(FaultsError) in try faults.set(name, to: value) }
            let run = try await TestClient.sendByFCM(Self.tokens(100), to: simulator, bearer: bearer)
            let accepted = run.statuses.count { $0 == 200 }
            let statistics = try #require(simulator.statistics(of: .fcm))
            switch name {
            case "goaway_every":
                #expect(run.goAway != nil)
                #expect(accepted == 40)
            case "drop_every": #expect(statistics.accepted == 40)
            case "refuse": #expect(statistics.refused == 100)
            default: #expect(statistics.reset == 100)
            }
            #expect(statistics.accepted < 100)
        }
    }

    @Test func `an access token ends in the middle of a run, and a new one is let in`() async throws {
        try await withSimulator { simulator, control in
            let first = try await TestClient.fetchAccessToken(from: simulator)
            #expect(
                try await TestClient.sendByFCM(Self.tokens(2), to: simulator, bearer: first).statuses == [200, 200]
            )
            #expect(try await control.post("/revoke", "").status == 200)
            #expect(try await TestClient.sendByFCM(Self.tokens(1), to: simulator, bearer: first).statuses == [401])
            #expect(try await TestClient.sendByFCM(Self.tokens(1), to: simulator).statuses == [200])
            #expect(simulator.statistics(of: .fcm)?.own["token_fetches"] == 2)
        }
    }

    @Test func `what a person sees on a device can be asked for, by either provider`() async throws {
        try await withSimulator { simulator, control in
            let token = Self.tokens(1)[0]
            #expect(try await control.get("/device?provider=fcm&token=\(token)").status == 404)
            let offline = try await control.post("/device?provider=fcm&token=\(token)&state=offline", "")
            #expect(offline.body.hasPrefix(#"{"online":false,"shown":[]"#))
            _ = try await TestClient.sendByFCM([token, token], to: simulator)
            #expect(simulator.device(token, at: .fcm)?.waiting == 1)
            #expect(simulator.device(token, at: .fcm)?.collapsed == 1)
            let online = try await control.post("/device?provider=fcm&token=\(token)&state=online", "")
            #expect(online.body.contains(#""title":"Gol""#))
            #expect(try await control.post("/device?provider=fcm&token=\(token)", "").status == 400)

            let apns = String(repeating: "0b", count: 32)
            simulator.setDevice(apns, isOnline: true)
            _ = try await TestClient.send([apns], to: simulator)
            #expect(simulator.device(apns)?.shown.map(\.body) == ["x"])
            #expect(simulator.device(String(repeating: "0c", count: 32)) == nil)
        }
    }

    @Test func `curl over HTTP/2 fetches a token with the written files and sends a message`() async throws {
        try await withSimulator { simulator, _ in
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let endpoint = "https://127.0.0.1:\(try #require(simulator.port(of: .fcm)))"
            try simulator.identity.write(to: folder, endpoint: "https://127.0.0.1:1", fcmEndpoint: endpoint)
            let file = try Data(contentsOf: URL(filePath: "\(folder)/service-account.json"))
            let account = try JSONSerialization.jsonObject(with: file) as? [String: String]
            #expect(account?["token_uri"] == "\(endpoint)/token")
            let form = try AssertionForm.make(for: simulator, now: TestClient.now())
            let base = ["--silent", "--http2", "--cacert", "\(folder)/ca.pem", "--write-out", "%{http_version}"]
            let answer = try await curl(base + ["--data", form, "\(endpoint)/token"])
            #expect(answer.hasSuffix("2"))
            let bearer = try #require(answer.split(separator: "\"").dropFirst(3).first)
            let message = [
                "--header", "content-type: application/json", "--header", "authorization: Bearer \(bearer)", "--data",
                #"{"message":{"token":"\#(Self.tokens(1)[0])","data":{"match":"7"}}}"#,
                "\(endpoint)/v1/projects/fanfare-simulator/messages:send",
            ]
            #expect(try await curl(base + message).contains("projects/fanfare-simulator/messages/0:"))
            #expect(simulator.statistics(of: .fcm)?.accepted == 1)
        }
    }

    private func curl(_ arguments: [String]) async throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/curl")
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        return try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { _ in
                continuation.resume(returning: String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self))
            }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
    }
}
