extension Rule {
    /// Marks of unfinished work.
    ///
    /// Assembled here, so that this file does not contain them.
    static let marks = ["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"]

    /// Forbids marks of unfinished work, including in comments and scripts.
    static let leftoverMarks = Rule("no leftover marks") { file in
        guard !file.path.hasSuffix(".pb.swift") else { return [] }
        return file.lines.enumerated().flatMap { index, line in
            marks.filter { !PhraseSearch.offsets(of: Array($0.utf8), in: Array(line.utf8)).isEmpty }
                .map { Violation(path: file.path, line: index + 1, what: "\($0) left over") }
        }
    }

    /// Forbids forced tries: a failure has a type and a message and does not end the process.
    static let forcedTry = Rule("no forced try") { file in
        guard file.isHandwrittenSwift else { return [] }
        return file.lines(of: "try!").map { Violation(path: file.path, line: $0, what: "forced try") }
    }

    /// Requires a comment about ownership wherever the compiler's checks are disabled.
    static let uncheckedSendable = Rule("unchecked sendability says who owns it") { file in
        guard file.isHandwrittenSwift else { return [] }
        return ["@unchecked Sendable", "nonisolated(unsafe)"].flatMap { phrase in
            file.lines(of: phrase).filter { line in
                !file.lines[max(0, line - 9)..<line].contains { $0.contains("Safety:") }
            }
            .map { Violation(path: file.path, line: $0, what: "\(phrase) without a Safety: comment") }
        }
    }

    /// Forbids sleeps: a test waits for a signal or advances a manual clock.
    ///
    /// The servers for tests (`Tests/Servers`) are not tests: they must poll until a server answers.
    static let sleepsInTests = Rule("no sleeps in tests") { file in
        guard file.top == "Tests", file.target?.hasSuffix("Tests") == true, file.isHandwrittenSwift else { return [] }
        return ["sleep(", "usleep(", "nanosleep("].flatMap { phrase in
            file.lines(of: phrase).map { Violation(path: file.path, line: $0, what: "\(phrase) in a test") }
        }
    }

    /// Forbids meaningless names, and types that hide a module of the same name.
    static let names = Rule("names are words of the field") { file in
        let empty = ["Utils", "Helpers", "Common", "Manager"]
        var found = file.components.compactMap { component -> Violation? in
            let name = component.prefix { $0 != "." }
            guard let word = empty.first(where: { name.hasSuffix($0) }) else { return nil }
            return Violation(path: file.path, line: 0, what: "a path with \(word)")
        }
        guard file.isHandwrittenSwift else { return found }
        for (line, type) in file.declaredTypes {
            if let word = empty.first(where: { type.hasSuffix($0) }) {
                found.append(Violation(path: file.path, line: line, what: "type \(type): \(word) says nothing"))
            }
            if House.targets.contains(type) {
                found.append(Violation(path: file.path, line: line, what: "type \(type) has the name of a module"))
            }
        }
        return found
    }
}

extension SourceFile {
    /// The names of the types that the file declares, with their lines.
    var declaredTypes: [(line: Int, name: String)] {
        ["struct", "class", "enum", "protocol", "actor", "typealias"].flatMap { keyword in
            lines(of: keyword).compactMap { line in
                let words = codeLine(line).split { !$0.isLetter && !$0.isNumber && $0 != "_" }
                guard let at = words.firstIndex(of: Substring(keyword)), at + 1 < words.count else { return nil }
                let name = String(words[at + 1])
                return ["func", "var", "let", "subscript"].contains(name) ? nil : (line, name)
            }
        }
    }
}
