import ArgumentParser
import Campaigns
import Testing

@testable import fanfare

/// The examples in `--help`.
@Suite struct ExampleTests {
    private struct Command {
        let name: String
        let discussion: String
    }

    /// Returns all commands without subcommands.
    private static func commands() throws -> [Command] {
        var dump = ""
        do { _ = try Fanfare.parseAsRoot(["--experimental-dump-help"]) } catch { dump = Fanfare.message(for: error) }
        let limits = JSONReader.Limits(bytesMax: 1 << 22, depthMax: 64)
        let root = try #require(JSONReader.read(Array(dump.utf8), limits: limits).value?["command"])
        return leaves(root, below: "")
    }

    private static func leaves(_ command: JSONValue, below parents: String) -> [Command] {
        let name = (parents + " " + (command["commandName"]?.string ?? "")).trimmingPrefix(" ")
        let below = (command["subcommands"]?.array ?? []).filter { $0["commandName"]?.string != "help" }
        guard below.isEmpty else { return below.flatMap { leaves($0, below: String(name)) } }
        return [Command(name: String(name), discussion: command["discussion"]?.string ?? "")]
    }

    /// Returns the arguments that a shell would pass to the program, without leading variables and redirections.
    private static func arguments(_ line: Substring) -> [String] {
        // Text between quotes is one word.
        let words = line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { index, part in
            index % 2 == 1 ? [part] : part.split(separator: " ")
        }
        return words.prefix { $0 != ">" && $0 != "|" && $0 != "<" }.drop { $0 != "fanfare" }.dropFirst()
            .map(String.init)
    }

    @Test func `each command has an example, and each example is understood`() throws {
        let commands = try Self.commands()
        #expect(commands.count > 40)
        for command in commands {
            let lines = command.discussion.split(separator: "\n").compactMap { line -> Substring? in
                guard let name = line.firstRange(of: command.name) else { return nil }
                let rest = line[name.upperBound...]
                return rest.isEmpty || rest.hasPrefix(" ") ? line[name.lowerBound...] : nil
            }
            #expect(!lines.isEmpty, "\(command.name) has no example")
            for line in lines {
                #expect(throws: Never.self, "\(line)") { _ = try Fanfare.parseAsRoot(Self.arguments(line)) }
            }
        }
    }
}
