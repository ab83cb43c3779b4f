import Foundation

/// The commands that README and the pages of the documentation show.
enum DocumentedCommands {
    private static let root = #filePath.replacing("/Tests/EndToEndTests/DocumentedCommands.swift", with: "")

    struct Command: Hashable, CustomStringConvertible {
        let page: String
        /// Without the program's name.
        let arguments: [String]

        var description: String { "\(page): fanfare \(arguments.joined(separator: " "))" }
    }

    /// All of them, page by page, each once.
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

    /// Lines of code blocks and spans of code that begin with the program.
    private static func lines(_ text: String) -> [Substring] {
        text.components(separatedBy: "\n```").enumerated().flatMap { index, part -> [Substring] in
            if index % 2 == 1 { return part.split(separator: "\n").compactMap(command) }
            let spans = part.split(separator: "`", omittingEmptySubsequences: false)
            return spans.indices.filter { $0 % 2 == 1 }.compactMap { command(spans[$0]) }.map {
                Substring($0.replacing("\n", with: " "))
            }
        }
    }

    /// What stands behind the program's name; nil when it is no command.
    private static func command(_ line: Substring) -> Substring? {
        for beginning in ["$ fanfare ", "fanfare ", "$ .build/release/fanfare ", ".build/release/fanfare "]
        where line.hasPrefix(beginning) {
            let rest = line.dropFirst(beginning.count)
            // A program's own message begins with its name, too.
            return rest.first?.isLowercase == true && !rest.hasPrefix("is ") ? rest : nil
        }
        return nil
    }

    /// A table's `pause\|resume` are two; brackets hold what may be left out; a shell's part is not the program's.
    private static func alternatives(_ line: Substring) -> [[String]] {
        let end = [" > ", " &", " #", " | ", " …"].compactMap { line.firstRange(of: $0)?.lowerBound }.min()
        let words = line[..<(end ?? line.endIndex)].split(separator: " ").filter { !$0.hasPrefix("[") }
        return words.reduce([[]]) { found, word in
            word.split(separator: "\\|").flatMap { choice in found.map { $0 + [String(choice)] } }
        }
    }
}
