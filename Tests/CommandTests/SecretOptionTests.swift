import Campaigns
import Testing

/// Every user of a host can see arguments, so no option may take a secret.
@Suite struct SecretOptionTests {
    private let folder: CommandFolder
    private let command: Command

    init() throws {
        folder = try CommandFolder()
        command = Command(folder: folder.path)
    }

    /// Returns every option of every command with the command's path.
    private func options(_ command: JSONValue, _ path: String) -> [(path: String, name: String)] {
        let name = path + " " + (command["commandName"]?.string ?? "")
        let own = (command["arguments"]?.array ?? []).flatMap { argument in
            (argument["names"]?.array ?? []).compactMap { $0["name"]?.string }.map { (path: name, name: $0) }
        }
        return own + (command["subcommands"]?.array ?? []).flatMap { options($0, name) }
    }

    @Test func `no option of any command is named after a secret`() throws {
        let dump = try command.run("--experimental-dump-help")
        let reading = JSONReader.read(
            Array(dump.output.utf8),
            limits: JSONReader.Limits(bytesMax: 16 << 20, depthMax: 64)
        )
        let all = options(try #require(reading.value?["command"]), "")
        #expect(all.count > 100)
        #expect(all.contains { $0.name == "amqp" } && all.contains { $0.path.hasSuffix("worker") })
        for word in ["password", "passwd", "secret", "token", "credential", "key", "pem", "jwt"] {
            let found = all.filter { $0.name.lowercased().contains(word) }
            #expect(found.isEmpty, "\(found)")
        }
    }

    @Test(arguments: [
        ("--amqp", "amqp://user:hunter2@127.0.0.1:1"), ("--store", "postgres://user:hunter2@127.0.0.1/fanfare"),
    ])
    func `a password in an argument is refused and not repeated`(option: String, value: String) throws {
        let outcome = try command.run("status", option, value)
        #expect(outcome.exit == 64)
        #expect(outcome.errors.contains("set FANFARE_"))
        #expect(!(outcome.errors + outcome.output).contains("hunter2"))
    }
}
