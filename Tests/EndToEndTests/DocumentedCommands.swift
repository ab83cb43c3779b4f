import Foundation

/// The commands that README and the pages of the documentation show.
enum DocumentedCommands {
    private static let root = #filePath.replacing("/Tests/EndToEndTests/DocumentedCommands.swift", with: "")

    struct Command: Hashable, CustomStringConvertible {
        let page: String
        /// The arguments without the program's name.
        let arguments: [String]

        var description: String { "\(page): fanfare \(arguments.joined(separator: " "))" }
    }

    /// Returns all commands, page by page, each once.
    static func all() throws -> [Command] {
        let catalogues = ["Fleet/Documentation.docc", "FanfareKit/FanfareKit.docc"].map { root + "/Sources/\($0)/" }
        let pages = try catalogues.flatMap { folder in
            try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".md") }.sorted()
                .map { folder + $0 }
        }
        var seen: Set<[String]> = []
        return try ([root + "/README.md"] + pages).flatMap { path in
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let name = URL(fileURLWithPath: path).lastPathComponent
            return lines(text).flatMap(alternatives).filter { seen.insert($0).inserted }.map {
                Command(page: name, arguments: $0)
            }
        }
    }

    /// Returns the lines of code blocks and the code spans that begin with the program.
    private static func lines(_ text: String) -> [Substring] {
        text.components(separatedBy: "\n```").enumerated().flatMap { index, part -> [Substring] in
            if index % 2 == 1 { return part.split(separator: "\n").compactMap(command) }
            let spans = part.split(separator: "`", omittingEmptySubsequences: false)
            return spans.indices.filter { $0 % 2 == 1 }.compactMap { command(spans[$0]) }.map {
                Substring($0.replacing("\n", with: " "))
            }
        }
    }

    /// Returns the text after the program's name; nil when it is not a command.
    private static func command(_ line: Substring) -> Substring? {
        for beginning in ["$ fanfare ", "fanfare ", "$ .build/release/fanfare ", ".build/release/fanfare "]
        where line.hasPrefix(beginning) {
            let rest = line.dropFirst(beginning.count)
            // A message of the program begins with its name too.
            return rest.first?.isLowercase == true && !rest.hasPrefix("is ") ? rest : nil
        }
        return nil
    }

    /// Returns the commands of a line: a table's `pause\|resume` are two, brackets hold optional parts, and shell
    /// syntax is cut.
    private static func alternatives(_ line: Substring) -> [[String]] {
        let end = [" > ", " &", " #", " | ", " …"].compactMap { line.firstRange(of: $0)?.lowerBound }.min()
        let words = line[..<(end ?? line.endIndex)].split(separator: " ").filter { !$0.hasPrefix("[") }
        return words.reduce([[]]) { found, word in
            word.split(separator: "\\|").flatMap { choice in found.map { $0 + [String(choice)] } }
        }
    }
}
