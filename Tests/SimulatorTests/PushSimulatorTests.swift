import HTTP2
import Testing

@testable import Simulator

@Suite(.timeLimit(.minutes(10))) struct PushSimulatorTests {
    private static func tokens(_ count: Int, prefix: String = "00") -> [String] {
        (0..<count).map { number in
            let tail = String(number, radix: 16)
            return prefix + String(repeating: "0", count: 64 - prefix.count - tail.count) + tail
        }
    }

    /// Runs `body` against a simulator with `faults`, and stops it.
    private func withSimulator(
        _ faults: [(String, String)] = [],
        seed: UInt64 = 1,
        loops: Int = 1,
        access: APNsAccess = APNsAccess(),
        _ body: (PushSimulator.Running) async throws -> Void
    ) async throws {
        var configuration = PushSimulator.Configuration()
        for (name, value) in faults { try configuration.faults.set(name, to: value) }
        configuration.seed = seed
        configuration.loops = loops
        configuration.access = access
        let simulator = try await PushSimulator.start(configuration)
        do {
            try await body(simulator)
        } catch {
            try await simulator.stop()
            throw error
        }
        try await simulator.stop()
    }

    @Test func `one stream until a good provider token came, then a thousand`() async throws {
        try await withSimulator([("latency", "5")]) { simulator in
            let run = try await TestClient.send(Self.tokens(500), to: simulator)
            #expect(run.statuses.allSatisfy { $0 == 200 })
            #expect(run.limits == [1, 1000])
            #expect(run.inFlightMost > 100)
            let statistics = simulator.statistics
            #expect(statistics.streamsMostUnauthenticated == 1)
            #expect(statistics.streamsMost > 100)
            #expect(statistics.accepted == 500)
            #expect(statistics.distinctTokens == 500)
            #expect(statistics.repeatedTokens == 0)
        }
    }

    @Test func `a client certificate is let in without a provider token and without waiting`() async throws {
        try await withSimulator { simulator in
            let run = try await TestClient.send(Self.tokens(10), to: simulator, certified: true)
            #expect(run.statuses.allSatisfy { $0 == 200 })
            #expect(run.limits == [1000])
        }
    }

    @Test func `an old provider token never gets more than one stream`() async throws {
        try await withSimulator { simulator in
            let run = try await TestClient.send(Self.tokens(5), to: simulator, issuedAt: 1_000_000_000)
            #expect(run.answers.map { $0?.body } == Array(repeating: #"{"reason":"ExpiredProviderToken"}"#, count: 5))
            #expect(run.statuses == [403, 403, 403, 403, 403])
            #expect(run.limits == [1])
            #expect(run.inFlightMost == 1)
            #expect(simulator.counts(ofToken: Self.tokens(1)[0]) == (1, 0, 0))
        }
    }

    @Test func `a clock that is ahead makes good tokens expired`() async throws {
        try await withSimulator { simulator in
            try await simulator.changeFaults { (faults) throws(FaultsError) in
                try faults.set("clock_offset", to: "4200")
            }
            let ahead = try await TestClient.send(Self.tokens(1), to: simulator)
            #expect(ahead.statuses == [403])
            let now = TestClient.now()
            let dates = (now - 60...now).map { HTTPDate.text($0 + 4200) }
            #expect(dates.contains(try #require(ahead.answers.first??.date)))
            try await simulator.changeFaults { (faults) throws(FaultsError) in
                try faults.set("clock_offset", to: "0")
            }
            let right = try await TestClient.send(Self.tokens(1), to: simulator)
            #expect(right.statuses == [200])
            #expect(!dates.contains(try #require(right.answers.first??.date)))
        }
    }

    @Test(arguments: [
        (Int64(784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (2_678_399, "Sat, 31 Jan 1970 23:59:59 GMT"), (2_678_400, "Sun, 01 Feb 1970 00:00:00 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        (1_798_761_599, "Thu, 31 Dec 2026 23:59:59 GMT"),
    ])
    func `a date is written as HTTP prefers it`(second: Int64, expected: String) {
        #expect(HTTPDate.text(second) == expected)
    }

    @Test func `provider tokens are counted by key, each once, whether taken or not`() async throws {
        try await withSimulator { simulator in
            _ = try await TestClient.send(Self.tokens(3), to: simulator)
            #expect(simulator.statistics.providerTokens == ["SIMKEY0001": 1])
            _ = try await TestClient.send(Self.tokens(1), to: simulator, issuedAt: 1_000_000_000)
            #expect(simulator.statistics.providerTokens == ["SIMKEY0001": 2])
            #expect(simulator.statistics.keysMost == 1)
            simulator.reset()
            #expect(simulator.statistics.providerTokens.isEmpty)
        }
    }

    @Test func `GOAWAY comes after every n streams and what is above its last stream was not processed`() async throws {
        try await withSimulator([("goaway_every", "40"), ("goaway_reason", "Shutdown")]) { simulator in
            let run = try await TestClient.send(Self.tokens(200), to: simulator)
            #expect(run.goAway == #"{"reason":"Shutdown"}"#)
            let answered = run.answers.count { $0?.kind == .answered }
            #expect(answered == 40)
            let lost = run.answers.filter { $0 != nil && $0?.kind != .answered && $0?.kind != .refused }
            #expect(lost.isEmpty)
            #expect(simulator.statistics.accepted == 40)
            #expect(simulator.statistics.goAways == 1)
        }
    }

    @Test func `the same tokens are dead in every run with a seed`() async throws {
        var runs: [[Int]] = []
        for _ in 0..<2 {
            try await withSimulator([("dead", "0.2")], seed: 42, loops: 2) { simulator in
                let run = try await TestClient.send(Self.tokens(400), to: simulator)
                runs.append(run.statuses)
                let dead = run.statuses.count { $0 == 410 }
                let expected = simulator.faults.expectedBehaviours(of: Self.tokens(400), seed: 42)
                #expect(expected[.dead] == dead)
                #expect(simulator.statistics.reasons["Unregistered"] == UInt64(dead))
                #expect(simulator.statistics.statuses[200] == UInt64(400 - dead))
            }
        }
        #expect(runs[0] == runs[1])
        #expect(runs[0].contains(410))
    }

    @Test func `rules by prefix say what each token does`() async throws {
        let rules = "d0=dead,e0=once-503,f0=503,a0=bad-token,b0=refuse,c0=reset"
        try await withSimulator([("rules", rules), ("retry_after", "7200")]) { simulator in
            let tokens = ["d0", "e0", "f0", "a0", "b0", "c0", "10"].map { String(repeating: $0, count: 32) }
            let first = try await TestClient.send(tokens, to: simulator)
            #expect(first.statuses == [410, 503, 503, 400, 0, 0, 200])
            #expect(first.answers[2]?.retryAfter == "7200")
            #expect(first.answers[1]?.retryAfter == "")
            #expect(first.answers[4]?.kind == .refused)
            #expect(first.answers[5]?.kind == .reset(code: HTTP2ErrorCode.internalError))
            #expect(first.answers[0]?.body.hasPrefix(#"{"reason":"Unregistered","timestamp":1"#) == true)
            #expect(first.answers[0]?.apnsID.utf8.count == 36)
            let second = try await TestClient.send(tokens, to: simulator)
            #expect(second.statuses == [410, 200, 503, 400, 0, 0, 200])
            #expect(simulator.counts(ofToken: tokens[1]) == (2, 1, 0))
            #expect(simulator.counts(ofToken: tokens[4]) == (0, 0, 2))
            #expect(simulator.counts(ofToken: tokens[5]) == (2, 0, 0))
            #expect(simulator.statistics.repeatedTokens == 1)
            #expect(simulator.statistics.distinctTokens == 7)
            #expect(simulator.statistics.refused == 2)
            #expect(simulator.statistics.reset == 2)
        }
    }

    @Test func `an answer does not come before its latency`() async throws {
        // The second request arrives and cuts the connection while the first waits for its hour.
        try await withSimulator([("latency", "3600000"), ("drop_every", "2")]) { simulator in
            let run = try await TestClient.send(Self.tokens(2), to: simulator)
            #expect(run.answers.map { $0?.kind } == [.connectionLost, .connectionLost])
            #expect(simulator.statistics.accepted == 2)
        }
        try await withSimulator([("latency", "3-9")]) { simulator in
            let run = try await TestClient.send(Self.tokens(300), to: simulator)
            #expect(run.statuses.allSatisfy { $0 == 200 })
        }
    }

    @Test func `shrinking stream limits are announced and kept`() async throws {
        let faults = [("stream_limits", "100,1,0,50"), ("stream_limits_every", "50"), ("stream_limit_ms", "200")]
        try await withSimulator(faults + [("latency", "1")]) { simulator in
            let run = try await TestClient.send(Self.tokens(400), to: simulator)
            // Streams opened before the client could know the smaller limit are refused whole.
            #expect(run.answers.allSatisfy { $0?.status == 200 || $0?.kind == .refused })
            #expect(simulator.statistics.accepted == UInt64(run.statuses.count { $0 == 200 }))
            #expect(Set(run.limits).isSuperset(of: [100, 1, 0, 50]))
            #expect(simulator.statistics.streamsMost <= 100)
        }
    }

    @Test func `a dropped connection leaves its streams without an answer`() async throws {
        try await withSimulator([("drop_every", "30"), ("latency", "20")]) { simulator in
            let run = try await TestClient.send(Self.tokens(100), to: simulator)
            #expect(run.answers.contains { $0?.kind == .connectionLost })
            #expect(simulator.statistics.requests == 30)
            #expect(simulator.statistics.connectionsOpened == 1)
        }
    }

    @Test func `the last requests show headers and payload`() async throws {
        try await withSimulator { simulator in
            let body = #"{"aps":{"alert":"Gol"},"match":7}"#
            _ = try await TestClient.send(Self.tokens(20), to: simulator, body: body)
            let last = simulator.lastRequests
            #expect(last.count == 16)
            #expect(last.last?.path == "/3/device/\(Self.tokens(20)[19])")
            #expect(last.first?.path == "/3/device/\(Self.tokens(20)[4])")
            #expect(last.allSatisfy { $0.payload == Array(body.utf8) && $0.status == 200 })
            #expect(last.last?.headers == ["apns-topic": "com.example.news", "apns-push-type": "alert"])
            simulator.reset()
            #expect(simulator.lastRequests.isEmpty)
            #expect(simulator.statistics.distinctTokens == 0)
        }
    }

    @Test func `a token for Live Activities takes what it is for alone, and what it took is on its phone`()
        async throws
    {
        try await withSimulator { simulator in
            let (starts, follows) = (Self.tokens(1, prefix: "01")[0], Self.tokens(1, prefix: "02")[0])
            for token in [starts, follows] { simulator.setDevice(token, isOnline: true) }
            func send(_ event: String, to token: String) async throws -> String? {
                let rest = event == "start" ? #","attributes-type":"Match","attributes":{},"alert":"x""# : ""
                let run = try await TestClient.send(
                    [token],
                    to: simulator,
                    type: ("liveactivity", ".push-type.liveactivity"),
                    body: #"{"aps":{"event":"\#(event)","timestamp":1790000000,"content-state":{}\#(rest)}}"#
                )
                return run.answers[0]?.body
            }
            let isBad = #"{"reason":"BadDeviceToken"}"#
            #expect(try await send("start", to: starts) == "")
            #expect(try await send("update", to: starts) == isBad)
            #expect(try await send("start", to: starts) == "")
            #expect(try await send("update", to: follows) == "")
            #expect(try await send("start", to: follows) == isBad)
            #expect(try await send("end", to: follows) == "")
            let late = try await send("update", to: follows)
            #expect(late?.hasPrefix(#"{"reason":"Unregistered","timestamp":"#) == true, "\(late ?? "nothing")")
            #expect(simulator.device(starts)?.activity?.arrived.map(\.event) == ["start", "start"])
            #expect(simulator.device(follows)?.activity?.arrived.map(\.event) == ["update", "end"])
        }
    }

    @Test func `every reason of Apple's and every malformed answer can be asked for`() async throws {
        let words =
            APNsReason.allCases.map(\.rawValue) + MalformedAnswer.allCases.filter { $0 != .endless }.map(\.rawValue)
        let tokens = words.indices.map { String(repeating: String($0 + 16, radix: 16), count: 32) }
        let rules = zip(tokens, words).map { "\($0.prefix(8))=\($1)" }.joined(separator: ",")
        try await withSimulator([("rules", rules)]) { simulator in
            let run = try await TestClient.send(tokens, to: simulator)
            for (answer, reason) in zip(run.answers, APNsReason.allCases) {
                #expect(answer?.status == reason.status)
                #expect(answer?.body.hasPrefix("{\"reason\":\"\(reason.rawValue)\"") == true)
            }
            #expect(run.statuses.suffix(8) == [200, 400, 400, 400, 400, 400, 410, 799])
            #expect(simulator.statistics.statuses[799] == 1)
            #expect(simulator.statistics.accepted == 1)
        }
    }

    @Test func `a graceful GOAWAY lets what is under way go on`() async throws {
        let faults = [("goaway_every", "5"), ("goaway_graceful", "true"), ("goaway_reason", "Shutdown")]
        try await withSimulator(faults + [("latency", "10")]) { simulator in
            let run = try await TestClient.send(Self.tokens(300), to: simulator)
            #expect(run.goAway != nil)
            #expect(run.answers.compactMap { $0 }.allSatisfy { $0.status == 200 })
            #expect(simulator.statistics.accepted == UInt64(run.statuses.count { $0 == 200 }))
        }
    }

    @Test func `a connection that fell silent answers nothing more`() async throws {
        try await withSimulator([("silent_after", "10"), ("drop_every", "0")]) { simulator in
            let tokens = Self.tokens(50)
            async let sending = TestClient.send(tokens, to: simulator)
            // It ends only because the whole simulator stops.
            var seen: UInt64 = 0
            while seen < 10 && !Task.isCancelled {
                await Task.yield()
                seen = simulator.statistics.requests
            }
            try await simulator.stop()
            let run = try await sending
            #expect(simulator.statistics.requests == 10)
            #expect(run.answers.compactMap { $0 }.contains { $0.kind == .connectionLost })
            #expect(run.statuses.count { $0 == 200 } < 10)
        }
    }

    @Test func `nothing is said before SETTINGS that come late`() async throws {
        try await withSimulator([("settings_delay", "40")]) { simulator in
            let run = try await TestClient.send(Self.tokens(20), to: simulator)
            #expect(run.statuses.allSatisfy { $0 == 200 })
            #expect(run.limits == [1, 1000])
        }
    }

    @Test(arguments: [("elsewhere.example", "192.0.2.1", 825), ("localhost", "127.0.0.1", -1)])
    func `a server with the wrong name or an expired certificate gets no request`(
        _ name: String,
        _ address: String,
        _ days: Int
    ) async throws {
        var configuration = PushSimulator.Configuration()
        configuration.identity = try PushSimulator.Identity(names: [name], addresses: [address], days: days)
        let simulator = try await PushSimulator.start(configuration)
        let run = try await TestClient.send(Self.tokens(3), to: simulator)
        try await simulator.stop()
        #expect(run.answers == [nil, nil, nil])
        #expect(simulator.statistics.requests == 0)
        #expect(simulator.statistics.handshakesFailed == 1)
    }

    @Test func `a simulator comes back as the same server with its identity`() async throws {
        let first = try await PushSimulator.start()
        let (identity, port) = (first.identity, first.port)
        try await first.stop()
        var configuration = PushSimulator.Configuration()
        configuration.identity = identity
        configuration.port = port
        let second = try await PushSimulator.start(configuration)
        #expect(second.port == port)
        let run = try await TestClient.send(Self.tokens(3), to: second)
        try await second.stop()
        #expect(run.statuses == [200, 200, 200])
    }
}
