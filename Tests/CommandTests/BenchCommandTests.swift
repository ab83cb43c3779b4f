import Foundation
import Testing

@testable import Bench

@Suite struct BenchCommandTests {
    private let folder: CommandFolder
    private let command: Command

    init() throws {
        folder = try CommandFolder()
        command = Command(folder: folder.path)
    }

    @Test(arguments: [
        ["--pairs", "0"], ["--transport", "--requests", "10"], ["--devices", "many"], ["--scale", "0"],
        ["--into", "https://localhost:1"], ["--transport", "sending"],
        ["extra"],
    ])
    func `a wrong call is 64 and starts nothing`(arguments: [String]) throws {
        let outcome = try command.run(["bench"] + arguments)
        #expect(outcome.exit == 64)
        #expect(outcome.output.isEmpty)
        #expect(try folder.files().isEmpty)
    }

    @Test func `help lists every scenario`() throws {
        let help = try command.run("bench", "--help").output
        for scenario in BenchScenario.allCases { #expect(help.contains("\(scenario.rawValue): ")) }
    }

    @Test func `without a broker it is one clear line and 69`() throws {
        var command = command
        command.environment = ["PATH": try folderWithH2load()]
        let outcome = try command.run("bench", "--amqp", "amqp://127.0.0.1:1")
        #expect(outcome.exit == 69)
        #expect(outcome.errors.contains("127.0.0.1:1"))
    }

    @Test func `without h2load it says which package has it`() throws {
        var command = command
        command.environment = ["PATH": folder.path]
        let outcome = try command.run("bench", "--transport")
        #expect(outcome.exit == 1)
        #expect(outcome.errors.contains("apt-get install nghttp2-client"))
    }

    private func folderWithH2load() throws -> String {
        try folder.write("h2load", "#!/bin/sh\nexit 1\n")
        let path = folder.path + "/h2load"
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return folder.path
    }

    @Test func `what h2load prints is understood`() throws {
        let text = """
            starting benchmark...
            progress: 100% done

            finished in 949.40ms, 263320.41 req/s, 3.02MB/s
            requests: 250000 total, 250000 started, 250000 done, 249990 succeeded, 10 failed, 10 errored, 0 timeout
            status codes: 249990 2xx, 0 3xx, 0 4xx, 0 5xx
            """
        let output = try #require(H2LoadOutput(text))
        #expect(output.rate == 263_320.41)
        #expect(output.total == 250_000)
        #expect(output.succeeded == 249_990)
    }

    @Test(arguments: [
        "", "could not connect to host", "finished in 1s, fast req/s, 1MB/s\nrequests: 1 total, 1 succeeded",
        "finished in 1s, 5.0 req/s, 1MB/s\nrequests: many total, 1 succeeded",
        "finished in 1s, 5.0 req/s, 1MB/s\nrequests: 1e300 total, 1 succeeded",
    ])
    func `other output of h2load is not taken for a result`(text: String) {
        #expect(H2LoadOutput(text) == nil)
    }

    @Test func `the sender gets the last of the cores, the peer the others`() {
        let cores = BenchCores(allowed: BenchCores.allowed(inStatus: "Cpus_allowed:\tf1\nCpus_allowed_list:\t0,4-6\n"))
        #expect(cores.sender == 6)
        #expect(cores.peer == [0, 4, 5])
        #expect(BenchCores(allowed: [3]).sender == nil)
        #expect(BenchCores.allowed(inStatus: "Cpus_allowed_list:\t7-2,x,-\n").isEmpty)
    }

    @Test func `a peer's last line is its count, other lines are arrivals`() throws {
        let line = #"{"answered":9,"dead":1,"unavailable":2,"ignored":3,"goaways":4,"connections":5}"#
        let counts = try #require(Peer.Counts(line: line))
        #expect(counts.answered == 9 && counts.dead == 1 && counts.unavailable == 2)
        #expect(counts.ignored == 3 && counts.goAways == 4 && counts.connections == 5)
        #expect(Peer.Counts(line: #"{"answered":9}"#) == nil)
        #expect(Peer.Counts(line: "killed") == nil)
        let lines = ["APNs at …", #"{"requests":1,"at_ns":70}"#, #"{"requests":2,"at_ns":90}"#]
        #expect(Peer.arrivals(in: lines) == [70, 90, 90])
    }
}
