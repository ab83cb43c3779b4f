import Campaigns
import Delivery
import Foundation
import Glibc
import Servers
import Store
import TLS
import Testing

extension EndToEnd {
    /// `fanfare server` as a process: its service manager, its signals, its certificate.
    @Suite("Server process")
    struct ServerProcess {
        /// Writes a server certificate of a new authority; clients trust the authority's file.
        private func certify(_ fleet: PrivateFleet, _ name: String, days: Int = 825) throws {
            let authority = try CertificateAuthority(commonName: name)
            let identity = try authority.issueServer(names: ["localhost"], addresses: ["127.0.0.1"], days: days)
            for (file, bytes) in [
                ("\(name).pem", authority.certificatePEM), ("server.pem", identity.certificatePEM),
                ("server.key", identity.privateKeyPEM),
            ] {
                try Data(bytes).write(to: URL(fileURLWithPath: "\(fleet.folder)/\(file)"))
            }
        }

        /// Returns the status by curl, which trusts only this authority; nil when there is no answer.
        private func status(_ fleet: PrivateFleet, _ port: Int, _ path: String, trust name: String) async throws -> Int?
        {
            try await curl(fleet, port, path, trust: name, "%{http_code}").flatMap { Int($0) }
        }

        /// Returns curl's report of its request; nil when there is no answer.
        private func curl(
            _ fleet: PrivateFleet,
            _ port: Int,
            _ path: String,
            trust name: String,
            _ wanted: String,
            _ options: String...
        ) async throws -> String? {
            try await curl(fleet, port, path, trust: name, wanted, options)
        }

        private func curl(
            _ fleet: PrivateFleet,
            _ port: Int,
            _ path: String,
            trust name: String,
            _ wanted: String,
            into output: String = "/dev/null",
            _ options: [String]
        ) async throws -> String? {
            try await aside {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
                process.arguments =
                    [
                        "-s", "-o", output, "-w", wanted, "--cacert", "\(fleet.folder)/\(name).pem",
                        "https://127.0.0.1:\(port)\(path)",
                    ] + options
                process.standardInput = FileHandle.nullDevice
                let pipe = Pipe()
                process.standardOutput = pipe
                try process.run()
                let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
                process.waitUntilExit()
                return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
            }
        }

        /// Returns the days until the certificate ends, as the metrics tell.
        private func daysLeft(_ fleet: PrivateFleet, _ port: Int, trust name: String) async throws -> Int {
            let path = fleet.folder + "/scrape"
            let status = try await curl(fleet, port, "/metrics", trust: name, "%{http_code}", into: path, [])
            try #require(status == "200")
            let metrics = WorkerMetrics(try String(contentsOfFile: path, encoding: .utf8))
            let end = metrics.sum("fanfare_certificate_end_timestamp_seconds")
            return (end - Int(TestClock.now().seconds)) / 86_400
        }

        @Test func `a server says that it is ready and lives, takes a new certificate, and ends in good order`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                try certify(fleet, "first", days: 5)
                let port = try LoopbackPorts.free(1)[0]
                let address = fleet.folder + "/notify"
                let listener = try NotifyListener(address: address)
                let server = try FanfareProcess(
                    ["server", "--config", "fanfare.yaml"],
                    folder: fleet.folder,
                    environment: [
                        "NOTIFY_SOCKET": address, "WATCHDOG_USEC": "400000",
                        "FANFARE_SERVER_LISTEN": "127.0.0.1:\(port)",
                        "FANFARE_SERVER_CERTIFICATE_FILE": fleet.folder + "/server.pem",
                        "FANFARE_SERVER_PRIVATE_KEY_FILE": fleet.folder + "/server.key",
                    ]
                )
                defer { server.kill() }
                var heard: [String] = []
                func hears(_ what: String, _ count: Int = 1) async throws {
                    try await eventually("\(what) × \(count)") {
                        guard server.isRunning else { throw FanfareProcess.Failure(server.errors) }
                        heard += listener.assignments()
                        return heard.count { $0 == what } >= count
                    }
                }
                try await hears("READY=1")
                #expect(try await status(fleet, port, "/readyz", trust: "first") == 200)
                try await hears("WATCHDOG=1", 3)

                let days = try await daysLeft(fleet, port, trust: "first")
                #expect((4...5).contains(days), "\(days)")
                let book = Runbook(fleet: fleet)
                #expect(try await book.check("CertificateEnds").contains("server.certificate_file"))
                try certify(fleet, "second")
                try await book.remedy(
                    "CertificateEnds",
                    host: ["systemctl reload fanfare-server": { server.signal(SIGHUP) }]
                )
                try await hears("RELOADING=1")
                try await hears("READY=1", 2)
                #expect(try await status(fleet, port, "/livez", trust: "second") == 200)
                #expect(try await status(fleet, port, "/livez", trust: "first") == nil)
                #expect(try await daysLeft(fleet, port, trust: "second") > 800)

                // Files that do not match change nothing.
                try Data("no key".utf8).write(to: URL(fileURLWithPath: fleet.folder + "/server.key"))
                server.signal(SIGHUP)
                try await hears("READY=1", 3)
                #expect(server.errors.contains("certificate and private key stay as they were"))
                #expect(try await status(fleet, port, "/livez", trust: "second") == 200)

                server.terminate()
                #expect(try await server.ended(within: .seconds(30)).exit == 0)
                heard += listener.assignments()
                #expect(heard.count { $0 == "STOPPING=1" } == 1)
            }
        }

        @Test
        func
            `TLS 1 point 2 is spoken with forward secrecy and authenticated encryption alone, and the API stays on it`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                try certify(fleet, "first")
                let port = try LoopbackPorts.free(1)[0]
                let server = try FanfareProcess(
                    ["server", "--config", "fanfare.yaml"],
                    folder: fleet.folder,
                    environment: [
                        "FANFARE_SERVER_LISTEN": "127.0.0.1:\(port)",
                        "FANFARE_SERVER_CERTIFICATE_FILE": fleet.folder + "/server.pem",
                        "FANFARE_SERVER_PRIVATE_KEY_FILE": fleet.folder + "/server.key",
                    ]
                )
                defer { server.kill() }
                func strict(_ options: String...) async throws -> String? {
                    let wanted = "%header{strict-transport-security}"
                    return try await curl(fleet, port, "/version", trust: "first", wanted, options)
                }
                try await eventually("it answers") { try await strict() != nil }
                #expect(try await strict() == "max-age=31536000")
                let two = ["--tlsv1.2", "--tls-max", "1.2", "--ciphers"]
                for cipher in ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"] {
                    #expect(try await curl(fleet, port, "/livez", trust: "first", "ok", two + [cipher]) == "ok")
                }
                for cipher in ["ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384", "AES128-GCM-SHA256"] {
                    #expect(try await curl(fleet, port, "/livez", trust: "first", "ok", two + [cipher]) == nil)
                }
                #expect(try await strict("--tlsv1.1", "--tls-max", "1.1") == nil)
            }
        }

        @Test func `over TLS the edge's own address speaks HTTP 2 with who offers it, and the API's does not`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                try certify(fleet, "first")
                let ports = try LoopbackPorts.free(2)
                let server = try FanfareProcess(
                    ["server", "--config", "fanfare.yaml"],
                    folder: fleet.folder,
                    environment: [
                        "FANFARE_SERVER_LISTEN": "127.0.0.1:\(ports[0])",
                        "FANFARE_SERVER_EDGE_LISTEN": "127.0.0.1:\(ports[1])",
                        "FANFARE_SERVER_CERTIFICATE_FILE": fleet.folder + "/server.pem",
                        "FANFARE_SERVER_PRIVATE_KEY_FILE": fleet.folder + "/server.key",
                    ]
                )
                defer { server.kill() }
                func version(_ port: Int, _ option: String) async throws -> String? {
                    let said = "%{http_version} %{http_code}"
                    return try await curl(fleet, port, "/livez", trust: "first", said, option)
                }
                try await eventually("both listen") {
                    guard server.isRunning else { throw FanfareProcess.Failure(server.errors) }
                    return try await version(ports[0], "--http2") == "1.1 200"
                }
                #expect(try await version(ports[1], "--http2") == "2 200")
                #expect(try await version(ports[1], "--http1.1") == "1.1 200")
                #expect(try await version(ports[1], "--no-alpn") == "1.1 200")
            }
        }

        @Test func `a server that ends tells a load balancer's open connection so, and is not kept by it`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                let ports = try LoopbackPorts.free(2)
                let server = try FanfareProcess(
                    ["server", "--config", "fanfare.yaml"],
                    folder: fleet.folder,
                    environment: [
                        "FANFARE_SERVER_LISTEN": "127.0.0.1:\(ports[0])",
                        "FANFARE_SERVER_EDGE_LISTEN": "127.0.0.1:\(ports[1])",
                    ]
                )
                defer { server.kill() }
                let connection = try await eventually("the edge listens") {
                    guard server.isRunning else { throw FanfareProcess.Failure(server.errors) }
                    return try? await RawConnection(to: ports[1])
                }
                let hello = RawFrames.bytes(.init(type: RawFrames.settings))
                try await connection.send(RawFrames.preface + hello)
                var types: [UInt8] = []
                for await frame in connection.frames {
                    if types.isEmpty {
                        #expect(frame.type == RawFrames.settings)
                        server.terminate()
                    }
                    types.append(frame.type)
                }
                #expect(types.last == RawFrames.goAway)
                #expect(try await server.ended(within: .seconds(15)).exit == 0)
            }
        }

        @Test func `a reload order reaches each worker, which reads once and answers, and a dry run reaches none`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                let workers = [try await fleet.startWorker(), try await fleet.startWorker()]
                let listed = try await fleet.run("app", "list", "--json")
                let rows = try #require(JSONReader.read(Array(listed.output.utf8)).value?.array)
                #expect(rows.count == 1 && rows[0]["app"]?.string == "news", "\(listed)")
                #expect(rows.first?["workers"]?.integer == 2)
                let tried = try await fleet.run("app", "reload", "--dry-run")
                #expect(tried.exit == 0 && tried.output == "2 workers would be asked\n", "\(tried)")
                let asked = try await fleet.run("app", "reload")
                let lines = asked.output.split(separator: "\n")
                #expect(asked.exit == 0 && lines.count { $0.contains("taken over") } == 2, "\(asked)")
                func readings(_ worker: FanfareProcess) -> Int {
                    worker.errors.split(separator: "\n").count { $0.contains("no known app has changed") }
                }
                try await eventually("both have read again") { workers.allSatisfy { readings($0) == 1 } }
                // With an error in the file no order is given.
                try Data("apps: [".utf8).write(to: URL(fileURLWithPath: fleet.folder + "/apps.yaml"))
                let order = try await fleet.ledger.read { try $0.reloadOrder() }
                #expect(try await fleet.run("app", "reload").exit == 78)
                #expect(try await fleet.ledger.read { try $0.reloadOrder() } == order)
                #expect(workers.allSatisfy { !$0.errors.contains("cannot be taken over") })
            }
        }
    }
}
