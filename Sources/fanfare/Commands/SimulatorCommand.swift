import ArgumentParser
import Campaigns
import Foundation
import Logging
import NIOCore
import Operations
import Settings
import Simulator
import Store
import TLS
import Transport
import UnixSignals

/// Simulates the push services.
struct SimulatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulator",
        abstract: "Play the push services: as strict as the real ones, with faults on demand.",
        discussion: """
            Faults are set with --fault NAME=VALUE, repeatedly, and changed later by POST /faults on the control \
            address. They are:

            \(Faults.catalogue.map { "  \($0.name): \($0.value)" }.joined(separator: "\n"))

            They hold for every provider alike; POST /faults?provider=fcm changes them for one. On the control address \
            there are also GET /stats, /tokens, /last, /faults, POST /reset, /revoke (FCM's access tokens), and \
            POST /device?provider=fcm&token=…&state=offline, GET /device for what a person would see, and \
            POST /device/take for what came since the last time (fanfare phone lives on it).

            With --bare there is one listener, which answers in FCM's form with --fcm, and there are latency, dead, \
            unavailable and goaway_every only, shares are of requests instead of tokens, and nothing can be changed \
            later. What it counted is printed at its end.

            Example: fanfare simulator --folder far --fcm --fault dead=0.02 --fault once_503=0.05
            """
    )

    @Option(help: "The port for APNs; 0 takes a free one.")
    var port = 0

    @Flag(help: "Play FCM as well, with its token endpoint, on a port of its own.")
    var fcm = false

    @Option(help: "With --fcm: the port for FCM; 0 takes a free one.")
    var fcmPort = 0

    @Option(help: "With --fcm: the project that messages are sent for.")
    var fcmProject = FCMAccess().project

    @Flag(help: "Play Web Push as well, on a port of its own.")
    var webPush = false

    @Option(help: "With --web-push: the port for Web Push; 0 takes a free one.")
    var webPushPort = 0

    @Option(help: "With --web-push: the share of messages that are deciphered, 0 to 1; it costs 0.1 ms each.")
    var deciphered = 1.0

    @Option(help: "The port of the control address on 127.0.0.1; 0 takes a free one.")
    var control = 0

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The name for other hosts: it is in the certificate, and replaces --host in apps.yaml.")
    var name: String?

    @Option(help: "Event loops.")
    var loops = 1

    @Option(help: "The seed of a repeatable run: it decides which tokens are dead and which requests fail.")
    var seed: UInt64 = 1

    @Option(
        help: """
            Write ca.pem, two signing keys, a client certificate and an apps.yaml into this folder; with --fcm \
            service-account.json as well, with --web-push vapid.pem.
            """
    )
    var folder: String?

    @Option(help: "The app in that apps.yaml.")
    var app = "news"

    @Option(name: .customLong("fault"), help: "A fault as NAME=VALUE, for example dead=0.02.")
    var faults: [String] = []

    @Flag(help: "Answer everything with 200 from prepared frames, as cheaply as can be: for measuring senders.")
    var bare = false

    @Option(help: "With --bare: answers a second of an event loop at most; 0 is as many as can be.")
    var answersPerSecond = 0

    @Flag(help: "With --bare: print for each read how many requests it brought, and when (CLOCK_MONOTONIC).")
    var arrivals = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard [port, control, fcmPort, webPushPort].allSatisfy((0...65_535).contains) else {
            throw ValidationError("a port is a number from 0 to 65535")
        }
        guard (1...64).contains(loops) else { throw ValidationError("--loops is a number from 1 to 64") }
        guard (0...1_000_000_000).contains(answersPerSecond) else {
            throw ValidationError("--answers-per-second is a number from 0 to 1000000000")
        }
        guard bare || (answersPerSecond == 0 && !arrivals) else {
            throw ValidationError("--answers-per-second and --arrivals go with --bare")
        }
        guard fcm || fcmPort == 0 else { throw ValidationError("--fcm-port goes with --fcm") }
        guard webPush || webPushPort == 0 else { throw ValidationError("--web-push-port goes with --web-push") }
        guard !(webPush && bare) else { throw ValidationError("--bare does not play Web Push") }
        guard (0...1).contains(deciphered) else { throw ValidationError("--deciphered is a share from 0 to 1") }
        let faults = try parsedFaults()
        if bare { _ = try behaviour(faults) }
    }

    func run() async throws {
        StandardErrorLog.install(Configuration.LogSettings(level: .warning))
        // Before the first line reports readiness: a signal right after it must be handled.
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        if bare {
            let (server, identity) = try await startBare()
            try announce(
                identity: identity,
                port: server.port,
                fcmPort: fcm ? server.port : nil,
                controlPort: nil
            )
            for await _ in signals { break }
            try await server.stop()
            Terminal.write(server.counts.json + "\n")
            return
        }
        var configuration = PushSimulator.Configuration()
        configuration.host = host
        configuration.identity = try ownIdentity()
        configuration.port = port
        configuration.controlPort = control
        configuration.loops = loops
        if fcm {
            configuration.fcm = FCMAccess()
            configuration.fcm?.project = fcmProject
            configuration.fcmPort = fcmPort
        }
        if webPush {
            configuration.webPush = WebPushAccess()
            configuration.webPush?.decipheredShare = deciphered
            configuration.webPushPort = webPushPort
        }
        configuration.seed = seed
        configuration.faults = try parsedFaults()
        let simulator = try await start(configuration)
        try announce(
            identity: simulator.identity,
            port: simulator.port,
            fcmPort: simulator.port(of: .fcm),
            webPushPort: simulator.port(of: .webPush),
            controlPort: simulator.controlPort
        )
        for await _ in signals { break }
        try await simulator.stop()
    }

    /// Returns an identity for the name that other hosts use; nil without one.
    private func ownIdentity() throws -> PushSimulator.Identity? {
        try name.map { try PushSimulator.Identity(names: ["localhost", $0]) }
    }

    private func start(_ configuration: PushSimulator.Configuration) async throws -> PushSimulator.Running {
        do {
            return try await PushSimulator.start(configuration)
        } catch let error as IOError {
            throw cannotListen(error)
        }
    }

    private func startBare() async throws -> (BareServer, PushSimulator.Identity) {
        var identity = try ownIdentity() ?? PushSimulator.Identity()
        if fcm { identity.serviceAccount = try PushSimulator.ServiceAccount(projectID: fcmProject) }
        let context = try TLSServerContext(
            certificatePEM: identity.certificatePEM,
            privateKeyPEM: identity.privateKeyPEM,
            source: "the bare server's certificate"
        )
        let arrived: @Sendable (Int, NIODeadline) -> Void = { requests, instant in
            Terminal.write("{\"requests\":\(requests),\"at_ns\":\(instant.uptimeNanoseconds)}\n")
        }
        do {
            let server = try await BareServer.start(
                host: host,
                port: port,
                loops: loops,
                tls: context,
                behaviour: behaviour(parsedFaults()),
                now: WallClock.now().milliseconds,
                arrived: arrivals ? arrived : nil
            )
            return (server, identity)
        } catch let error as IOError {
            throw cannotListen(error)
        }
    }

    private func cannotListen(_ error: IOError) -> CommandFailure {
        CommandFailure(.unavailable, "the simulator cannot listen on \(host):\(port): \(SocketErrorText.words(error))")
    }

    private func announce(
        identity: PushSimulator.Identity,
        port: Int,
        fcmPort: Int? = nil,
        webPushPort: Int? = nil,
        controlPort: Int?
    ) throws {
        let endpoint = "https://\(name ?? host):\(port)"
        let webPushOrigin = webPushPort.map { "https://\(name ?? host):\($0)" }
        let fcmEndpoint = fcmPort.map { "https://\(name ?? host):\($0)" }
        if let folder {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            do throws(PushSimulator.WriteError) {
                try identity.write(
                    to: folder,
                    endpoint: endpoint,
                    fcmEndpoint: fcmEndpoint,
                    hasWebPush: webPushPort != nil,
                    app: app
                )
            } catch {
                throw CommandFailure(.failed, error.description)
            }
        }
        let controlAddress = controlPort.map { "http://127.0.0.1:\($0)" }
        if output.json {
            let serviceAccount = folder.map { "\($0)/\(PushSimulator.ServiceAccount.file)" }
            let document = JSONValue.object([
                "endpoint": .string(endpoint), "control": controlAddress.map(JSONValue.string),
                "folder": folder.map(JSONValue.string),
                "fcm": fcmEndpoint.map { endpoint in
                    .object([
                        "endpoint": .string(endpoint), "project": .string(fcmProject),
                        "service_account": serviceAccount.map(JSONValue.string),
                    ])
                },
                "web_push": webPushOrigin.map { origin in
                    .object([
                        "origin": .string(origin), "vapid_key": folder.map { .string("\($0)/vapid.pem") },
                    ])
                },
            ])
            Terminal.write(document.text + "\n")
        } else {
            Terminal.write("APNs at \(endpoint), control at \(controlAddress ?? "nowhere")\n")
            if let fcmEndpoint { Terminal.write("FCM of project \(fcmProject) at \(fcmEndpoint)\n") }
            if let webPushOrigin { Terminal.write("Web Push at \(webPushOrigin)\n") }
            if let folder { Terminal.write("apps.yaml, keys and ca.pem in \(folder)\n") }
        }
    }

    private func behaviour(_ faults: Faults) throws -> BareBehaviour {
        do throws(FaultsError) {
            var behaviour = try BareBehaviour(faults)
            behaviour.answersPerSecond = answersPerSecond
            behaviour.playsFCM = fcm
            return behaviour
        } catch {
            throw ValidationError(error.message)
        }
    }

    private func parsedFaults() throws -> Faults {
        var parsed = Faults()
        for fault in faults {
            guard let equals = fault.firstIndex(of: "=") else {
                throw ValidationError("--fault \(fault): write NAME=VALUE")
            }
            do throws(FaultsError) {
                try parsed.set(String(fault[..<equals]), to: String(fault[fault.index(after: equals)...]))
            } catch {
                throw ValidationError("--fault \(fault): \(error.message)")
            }
        }
        return parsed
    }
}
