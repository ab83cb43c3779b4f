import Campaigns
import Foundation
import Testing

@testable import fanfare

@Suite struct BenchCommandTests {
    private let folder: CommandFolder
    private let command: Command

    init() throws {
        folder = try CommandFolder()
        command = Command(folder: folder.path)
    }

    @Test(arguments: [
        ["--pairs", "0"], ["--transport", "--requests", "10"], ["--devices", "many"],
        ["--into", "https://localhost:1"],
        ["extra"],
    ])
    func `a wrong call is 64 and starts nothing`(arguments: [String]) throws {
        let outcome = try command.run(["bench"] + arguments)
        #expect(outcome.exit == 64)
        #expect(outcome.output.isEmpty)
        #expect(try folder.files().isEmpty)
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

    @Test func `the sender gets the last of the cores, the far side the others`() {
        let cores = BenchCores(allowed: BenchCores.allowed(inStatus: "Cpus_allowed:\tf1\nCpus_allowed_list:\t0,4-6\n"))
        #expect(cores.sender == 6)
        #expect(cores.far == [0, 4, 5])
        #expect(BenchCores(allowed: [3]).sender == nil)
        #expect(BenchCores.allowed(inStatus: "Cpus_allowed_list:\t7-2,x,-\n").isEmpty)
    }

    @Test func `a pair does not count when the far side cost more than the sender`() throws {
        func run(_ microseconds: Double, far: Double) -> BenchRun {
            BenchRun(requests: 1_000_000, cpuSeconds: microseconds, rate: 1, farMicroseconds: far)
        }
        let good = BenchPair(fanfare: run(2, far: 1), h2load: run(4, far: 1), h2loadPaths: run(5, far: 1))
        let idle = BenchPair(fanfare: run(2, far: 3), h2load: run(4, far: 1), h2loadPaths: run(5, far: 1))
        let report = BenchReport(subject: "", target: 0.65, cores: "", pairs: [idle, good])
        #expect(good.refusal == nil)
        #expect(idle.refusal != nil)
        #expect(report.isWell)
        #expect(report.json["median"]?["ratio"] == .decimal(0.5))
        #expect(!BenchReport(subject: "", target: 0.65, cores: "", pairs: [idle]).isWell)
    }

    @Test(
        arguments: [
            ([3, 1, 2], 2), ([4, 1, 3, 2], 2.5), ([7], 7), ([], 0),
        ] as [([Double], Double)]
    )
    func `the median is the middle`(values: [Double], median: Double) {
        #expect(BenchNumber.median(values) == median)
    }

    @Test(arguments: [(1.2345, 2, "1.23"), (0.05, 3, "0.050"), (-0.001, 2, "0.00"), (12, 0, "12")])
    func `measured numbers are rounded`(value: Double, digits: Int, text: String) {
        #expect(BenchNumber.text(value, digits: digits) == text)
    }
}
