import Campaigns

/// The manual page of all commands in the macros of `man(7)`.
///
/// Made from argument-parser's description (`--experimental-dump-help`), so that it cannot lag behind `--help`.
struct ManualPage: Sendable {
    private let root: JSONValue

    /// Parses dumped help; nil for any other text.
    init?(helpDump text: String) {
        guard
            let command = JSONReader.read(Array(text.utf8), limits: .init(bytesMax: 1 << 22, depthMax: 64)).value?[
                "command"
            ],
            command["commandName"]?.string != nil
        else { return nil }
        root = command
    }

    /// The page's text.
    var text: String {
        let name = root["commandName"]?.string ?? ""
        var lines = [
            ".TH \(Self.escaped(name.uppercased())) 1",
            ".SH NAME",
            "\(Self.escaped(name)) \\- \(Self.escaped(root["abstract"]?.string ?? ""))",
            ".SH SYNOPSIS",
            ".B \(Self.escaped(name))",
            ".I command",
            ".RI [ options ]",
            ".SH COMMANDS",
        ]
        for command in Self.shown(root["subcommands"]) { lines += section(command, below: name) }
        lines += Self.ends
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns a command with its options, then its subcommands.
    private func section(_ command: JSONValue, below parents: String) -> [String] {
        let name = "\(parents) \(command["commandName"]?.string ?? "")"
        let arguments = Self.shown(command["arguments"]).filter { argument in
            let long = argument["preferredName"]?["name"]?.string
            return long != "help" && long != "version"
        }
        var lines = [".SS \(Self.quoted(name))"]
        lines += Self.paragraphs(command["abstract"]?.string ?? "")
        lines += Self.paragraphs(command["discussion"]?.string ?? "")
        for argument in arguments {
            lines += [".TP", "\\fB\(Self.escaped(Self.spelling(argument)))\\fR"]
            lines.append(Self.escaped(argument["abstract"]?.string ?? ""))
        }
        return lines + Self.shown(command["subcommands"]).flatMap { section($0, below: name) }
    }

    /// Returns `--name <value>`, or `<value>` for a positional argument.
    private static func spelling(_ argument: JSONValue) -> String {
        let value = "<\(argument["valueName"]?.string ?? "value")>"
        let names = (argument["names"]?.array ?? []).compactMap { name -> String? in
            guard let text = name["name"]?.string else { return nil }
            return (name["kind"]?.string == "long" ? "--" : "-") + text
        }
        switch argument["kind"]?.string {
        case "positional": return value
        case "flag": return names.joined(separator: ", ")
        default: return "\(names.joined(separator: ", ")) \(value)"
        }
    }

    private static func shown(_ list: JSONValue?) -> [JSONValue] {
        (list?.array ?? []).filter { $0["shouldDisplay"] != .bool(false) && $0["commandName"]?.string != "help" }
    }

    /// Returns the paragraphs of a text; indented lines keep their breaks: examples and lists.
    private static func paragraphs(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line -> [String] in
            if line.isEmpty { return [".PP"] }
            guard line.hasPrefix("  ") else { return [escaped(String(line))] }
            return [".br", escaped(String(line))]
        }
    }

    /// Returns text without meaning to roff: escapes backslashes, hyphens, and dots and quotes that begin a line.
    static func escaped(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }

    private static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// The sections common to all commands (contract, section 3).
    private static let ends = [
        ".SH EXIT STATUS",
        "0 done; 1 failed; 3 completed, but devices failed or only parked ones are left; 64 usage; 65 job refused;",
        "69 broker or store not reachable; 75 time\\-out of \\-\\-wait; 77 not allowed; 78 configuration.",
        ".SH FILES",
        ".B fanfare.yaml",
        "is the configuration (fanfare config reference lists its keys),",
        ".B apps.yaml",
        "the apps with their keys.",
        ".SH ENVIRONMENT",
        "Each key of the configuration has a variable: amqp.url is",
        ".BR FANFARE_AMQP_URL .",
    ]
}
