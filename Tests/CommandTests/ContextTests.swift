import Campaigns
import Foundation
import Testing

/// Installations by name.
@Suite struct ContextTests {
    private let folder: CommandFolder
    private var command: Command

    init() throws {
        folder = try CommandFolder()
        command = Command(folder: folder.path, environment: ["HOME": folder.path])
        let contexts = URL(fileURLWithPath: folder.path + "/.config/fanfare")
        try FileManager.default.createDirectory(at: contexts, withIntermediateDirectories: true)
        try Data("amqp: {url: \"amqp://production.example:5672\"}\n".utf8)
            .write(to: contexts.appending(path: "production.yaml"))
        try Data("amqp: {url: \"amqp://staging.example:5672\"}\n".utf8)
            .write(to: contexts.appending(path: "staging.yaml"))
    }

    private func broker(_ command: Command, _ arguments: String...) throws -> String? {
        let shown = try command.run(["config", "show", "--json"] + arguments)
        #expect(shown.exit == 0, "\(shown.errors)")
        return JSONReader.read(Array(shown.output.utf8)).value?["amqp.url"]?["value"]?.string
    }

    @Test func `a context names its file, by flag before the environment`() throws {
        #expect(try broker(command, "--context", "staging") == "amqp://staging.example:5672")
        var command = command
        command.environment["FANFARE_CONTEXT"] = "production"
        #expect(try broker(command) == "amqp://production.example:5672")
        #expect(try broker(command, "--context", "staging") == "amqp://staging.example:5672")
        let listed = try command.run("config", "contexts", "--json")
        let names = JSONReader.read(Array(listed.output.utf8)).value?.array?.compactMap { $0["name"]?.string }
        #expect(names == ["production", "staging"])
    }

    @Test func `--config is stronger than the environment, and not given with --context`() throws {
        var command = command
        command.environment["FANFARE_CONTEXT"] = "production"
        try folder.write("own.yaml", "amqp: {url: \"amqp://own.example:5672\"}\n")
        #expect(try broker(command, "--config", "own.yaml") == "amqp://own.example:5672")
        #expect(try command.run("config", "show", "--config", "own.yaml", "--context", "staging").exit == 64)
    }

    @Test(arguments: ["stagin", "../staging", ".hidden", ""])
    func `a context that is none is refused, and those that are there are named`(name: String) throws {
        let shown = try command.run("config", "show", "--context", name)
        #expect(shown.exit == 64)
        if name == "stagin" { #expect(shown.errors.contains("there are production, staging")) }
    }
}
