import Campaigns
import Servers
import Testing

/// Runbook.md, followed on a fleet that has the fault: what the page tells people to type is run as it stands there.
struct Runbook {
    let fleet: PrivateFleet
    /// The environment of the commands.
    var environment: [String: String] = [:]

    /// Runs the commands of a section's check, and returns all that they printed.
    ///
    /// Commands of the host (`systemctl`, `journalctl`, …) know nothing of a private fleet, and are left out. `id` is
    /// the campaign or message that the page calls `ID`.
    func check(_ name: String, id: String? = nil) async throws -> String {
        let commands = try RunbookSection(name).check.filter { $0.hasPrefix("fanfare ") }
        try #require(!commands.isEmpty, "the check of \(name) has no command of ours")
        var printed = ""
        for command in commands {
            let outcome = try await run(command, id)
            // 1: something is wrong; 69: what is asked cannot be reached.
            #expect([0, 1, 69].contains(outcome.exit), "\(name), \(command): \(outcome.exit) \(outcome.errors)")
            printed += outcome.output + outcome.errors
        }
        return printed
    }

    /// Runs the commands of a section's remedy, and returns the workers that it starts.
    ///
    /// `host` does, for each command of the host, what that would do to a private fleet.
    @discardableResult
    func remedy(
        _ name: String,
        id: String? = nil,
        host: [String: () async throws -> Void] = [:]
    ) async throws -> [FanfareProcess] {
        let commands = try RunbookSection(name).remedy
        try #require(!commands.isEmpty, "the remedy of \(name) has no command")
        for command in host.keys { #expect(commands.contains(command), "the remedy of \(name) has no \(command)") }
        var workers: [FanfareProcess] = []
        for command in commands {
            if let act = host[command] {
                try await act()
            } else if command.hasPrefix("fanfare worker --roles "), let roles = command.split(separator: " ").last {
                workers.append(try await fleet.startWorker(roles: String(roles), environment: environment))
            } else {
                let outcome = try await run(command, id)
                #expect(outcome.exit == 0, "\(name), \(command): \(outcome.exit) \(outcome.errors)")
            }
        }
        return workers
    }

    private func run(_ command: String, _ id: String?) async throws -> FanfareProcess.Outcome {
        let words = command.split(separator: " ").map(String.init)
        try #require(words.first == "fanfare", "nobody says what \(command) does to a private fleet")
        let arguments = try words.dropFirst().map { word in
            switch word {
            case "ID": try #require(id, "\(command) needs an id")
            case "APP": PrivateFleet.app
            case "INSTANT": TestClock.now().advanced(by: .seconds(7200)).rfc3339
            default: word
            }
        }
        return try await FanfareProcess.run(
            arguments + ["--config", "fanfare.yaml"],
            folder: fleet.folder,
            environment: environment
        )
    }
}
