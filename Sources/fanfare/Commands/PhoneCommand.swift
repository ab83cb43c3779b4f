import ArgumentParser
import Campaigns
import Foundation
import Operations

/// A simulated phone for trying out the kit.
struct PhoneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "phone",
        abstract: "Be a phone with an app that has FanfareKit: register, see what comes, tap, answer, go offline.",
        discussion: """
            It registers at the device edge of a server, gets its pushes from a simulator, and does what the lines of \
            standard input say; the end of the input ends it. Everything is kept in its folder: with the same folder it \
            is the same phone, however it ended.

            Orders:
            \(PhoneOrder.catalogue.map { "  \($0.form): \($0.meaning)" }.joined(separator: "\n"))

            It ends with 64 when a line was not an order, with 1 when an order could not be done, and with 75 at once \
            when something that it waits for does not come.

            Example:
              fanfare phone --server http://127.0.0.1:8080 --integration news.txt --simulator http://127.0.0.1:9000
            """
    )

    @Option(help: "The address of the device edge.")
    var server: String

    @Option(help: "A file with the app's integration key in it (fanfare app key create).")
    var integration: String

    @Option(help: "The control address of the simulator that plays APNs; without it no push comes.")
    var simulator: String?

    @Option(help: "The phone's folder; created when it is missing.")
    var folder = "phone"

    @Flag(help: "Start with the app in the background.")
    var background = false

    @Option(help: "Seconds between two in-app messages that appear by themselves.")
    var inAppInterval = 30.0

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard inAppInterval.isFinite, inAppInterval >= 0 else {
            throw ValidationError("--in-app-interval \(inAppInterval) is no time; write seconds, 0 for no wait")
        }
        _ = try Self.address(server, of: "--server")
        if let simulator { _ = try Self.address(simulator, of: "--simulator") }
    }

    func run() async throws {
        let address = try Self.address(server, of: "--server")
        let key = try TokenFile.text(integration)
        let folder = PhoneFolder(path: folder)
        let screen = try folder.screen()
        var setting = PhoneSession.Setting(integrationKey: key, server: server, isJSON: output.json)
        setting.inAppInterval = inAppInterval
        if address.scheme == "http" {
            let network = try await PhoneNetwork(host: address.host, port: address.port)
            setting.network = network
            setting.server = "http://127.0.0.1:\(network.port)\(address.path)"
        }
        if let simulator {
            let peer = try Self.address(simulator, of: "--simulator")
            setting.line = PushLine(host: peer.host, port: peer.port, token: screen.token)
        }
        try await Self.use(setting, folder, screen, inFront: !background)
    }

    /// Runs the phone from start to end.
    @MainActor private static func use(
        _ setting: PhoneSession.Setting,
        _ folder: PhoneFolder,
        _ screen: PhoneScreen,
        inFront: Bool
    ) async throws {
        let session = try PhoneSession(setting, folder: folder, screen: screen)
        try await session.begin(inFront: inFront)
        var failure: FanfareExit?
        for await line in lines() where !line.allSatisfy(\.isWhitespace) {
            let outcome: PhoneSession.Outcome
            do throws(PhoneOrderProblem) {
                outcome = await session.perform(try PhoneOrder(line))
            } catch {
                Terminal.writeError("fanfare: \(TerminalText.safe(error.text))\n")
                failure = failure ?? .usage
                continue
            }
            if case .impossible(let why) = outcome {
                Terminal.writeError("fanfare: \(TerminalText.safe(why))\n")
                failure = failure ?? .failed
            }
            if case .late(let why) = outcome {
                await session.end()
                throw CommandFailure(.timeout, why)
            }
            if outcome == .over { break }
        }
        await session.end()
        // A person at the terminal has seen the problem and gets no failure.
        if let failure, !Terminal.isInputTerminal { throw failure }
    }

    /// Returns the lines of standard input as they arrive.
    private static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }

    private struct Address {
        let scheme: String
        let host: String
        let port: Int
        let path: String
    }

    private static func address(_ text: String, of option: String) throws -> Address {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = url.host(), !host.isEmpty
        else { throw ValidationError("\(option) \(text) is no address; write http://HOST:PORT") }
        return Address(scheme: scheme, host: host, port: url.port ?? (scheme == "http" ? 80 : 443), path: url.path())
    }
}
