import Campaigns
import Foundation
import Servers
import Simulator
import Store
import Testing
import Transport

extension EndToEnd {
    /// Producers that speak AMQP 1.0, beside the fleet's AMQP 0-9-1.
    @Suite("AMQP 1.0", .enabled(if: AMQP1Producer.isThere))
    struct AMQP1 {
        @Test(arguments: ["data", "string", "binary"])
        func `a job from an AMQP 1.0 client is a job, whichever body its library makes`(body: String) async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                let job = TestJob("derby", TestDevices.tokens(20))
                try await AMQP1Producer.publish(job, body: body, in: fleet)
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 20)
                #expect(try await fleet.parked().isEmpty)
            }
        }

        @Test func `a body of another kind is refused by name`() async throws {
            try await PrivateFleet.with { fleet in
                _ = try await fleet.startWorker()
                try await AMQP1Producer.publish(TestJob("derby", TestDevices.tokens(1)), body: "list", in: fleet)
                let parked = try await eventually("it is parked") { try await fleet.parked().first }
                #expect(parked.errors.contains("neither data nor text"), "\(parked.errors)")
            }
        }
    }
}

/// Apache Qpid Proton for Python, an AMQP 1.0 client independent of our code and of RabbitMQ's.
enum AMQP1Producer {
    /// True if Debian's python3-qpid-proton is installed.
    static let isThere = (try? run(["-c", "import proton"])) == 0

    /// Publishes a job with a section of this kind; the address is that of RabbitMQ 4, or else the older one.
    static func publish(_ job: TestJob, body: String, in fleet: PrivateFleet) async throws {
        let (script, file) = (fleet.folder + "/produce.py", fleet.folder + "/\(UUID()).json")
        try Data(source.utf8).write(to: URL(fileURLWithPath: script))
        try Data(job.body).write(to: URL(fileURLWithPath: file))
        let port = fleet.endpoint.hosts[0].port
        let id = job.id
        let status = try await aside {
            try run([script, "\(port)", fleet.endpoint.virtualHost, job.app, body, id, file])
        }
        try #require(status == 0)
    }

    private static func run(_ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    private static let source = """
        import sys, time
        from proton import Message
        from proton.utils import BlockingConnection

        port, host, app, kind, identity, path = sys.argv[1:]
        text = open(path, encoding="utf-8").read()
        bodies = {"data": (text.encode(), True), "string": (text, False), "binary": (text.encode(), False),
                  "list": ([text], True)}
        body, inferred = bodies[kind]
        properties = {"id": identity} if identity else {}
        for address in [f"/exchanges/fanfare.campaigns/{app}", f"/exchange/fanfare.campaigns/{app}"]:
            try:
                connection = BlockingConnection(f"amqp://guest:guest@127.0.0.1:{port}", timeout=20,
                                                allowed_mechs="PLAIN", virtual_host=f"vhost:{host}")
                sender = connection.create_sender(address)
                sender.send(Message(body=body, inferred=inferred, durable=True, content_type="application/json",
                                    creation_time=time.time(), **properties))
                connection.close()
                sys.exit(0)
            except Exception as error:
                print(error, file=sys.stderr)
        sys.exit(1)
        """
}
