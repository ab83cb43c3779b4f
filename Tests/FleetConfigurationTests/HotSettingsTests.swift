import Testing

@testable import Fleet
@testable import Settings

/// The settings that a running worker applies from a new reading of its configuration.
struct HotSettingsTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    private func read(_ yaml: String, _ environment: [String: String] = [:]) throws -> Configuration {
        let file = try folder.write("fanfare.yaml", yaml)
        return try ConfigurationSources(environment: environment, file: file, workingDirectory: folder.path).load()
    }

    private func change(_ key: String, _ old: String, _ new: String) -> HotSettings.Change {
        HotSettings.Change(key: key, old: old, new: new)
    }

    @Test func `the same again changes nothing`() throws {
        let yaml = "worker:\n  drain: 5s\n  unflushed: 100\n"
        let settings = HotSettings(try read(yaml))
        #expect(settings.take(try read(yaml)) == HotSettings.Reading())
        #expect(settings.drain == .seconds(5))
    }

    @Test func `every hot setting is taken, each time it changes`() throws {
        let settings = HotSettings(try read("worker:\n  drain: 5s\n"))
        let new = try read("worker:\n  drain: 7s\n  unflushed: 12\nlog:\n  level: debug\n")
        let expected = [
            change("worker.unflushed", "4000", "12"), change("worker.drain", "5s", "7s"),
            change("log.level", "info", "debug"),
        ]
        #expect(settings.take(new).taken == expected)
        #expect(settings.drain == .seconds(7))
        #expect(settings.take(new).taken == [])
        #expect(settings.take(try read("")).taken.map(\.new) == ["4000", "20s", "info"])
        #expect(ConfigurationCatalogue.keys.filter(\.isHot).map(\.name) == expected.map(\.key))
    }

    @Test func `what needs a restart is told each time, and its value is not`() throws {
        let settings = HotSettings(try read("amqp:\n  url: amqp://a:hunter2@h\n"))
        let new = try read("amqp:\n  url: amqp://a:hunter3@h\nworker:\n  loops: 3\n")
        for _ in 1...2 { #expect(settings.take(new) == .init(taken: [], needRestart: ["amqp.url", "worker.loops"])) }
        #expect(settings.take(try read("amqp:\n  url: amqp://a:hunter2@h\n")).needRestart == [])
    }

    @Test func `the environment stays above the file`() throws {
        let environment = ["FANFARE_WORKER_DRAIN": "9s"]
        let settings = HotSettings(try read("worker:\n  drain: 5s\n", environment))
        #expect(settings.take(try read("worker:\n  drain: 7s\n", environment)).taken == [])
        #expect(settings.drain == .seconds(9))
    }
}
