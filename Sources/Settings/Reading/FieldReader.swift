import Foundation
import TLS

/// Collects what reading one file found: its problems, and the files that it names.
final class ProblemList {
    let file: String
    private(set) var list: [ConfigurationProblem] = []
    /// The digests of the files that were read, by their names in this file.
    private(set) var digests: [String: [UInt8]] = [:]

    init(file: String) {
        self.file = file
    }

    func add(_ line: Int, _ key: String, _ code: String, _ detail: String, _ fix: String? = nil) {
        list.append(ConfigurationProblem(location: "\(file):\(line)", key: key, code: code, detail: detail, fix: fix))
    }

    func noteRead(_ name: String, _ content: Secret) {
        digests[name] = SHA256.digest(content.bytes)
    }
}

/// Reads the fields of one YAML mapping and notes their problems.
struct FieldReader {
    let key: String
    let line: Int
    let entries: [YAMLTree.Entry]
    let problems: ProblemList

    /// Returns nil, and notes a problem, when the tree is not a mapping.
    init?(_ tree: YAMLTree, key: String, problems: ProblemList) {
        guard case .mapping(let entries) = tree.value else {
            problems.add(tree.line, key, "wrong_type", "a mapping of fields is expected here")
            return nil
        }
        self.key = key
        line = tree.line
        self.entries = entries
        self.problems = problems
    }

    func entry(_ field: String) -> YAMLTree.Entry? {
        entries.first { $0.key == field }
    }

    func path(_ field: String) -> String { key.isEmpty ? field : "\(key).\(field)" }

    func refuseUnknown(known: [String]) {
        for entry in entries where !known.contains(entry.key) {
            let hint = NearestName.hint(entry.key, among: known)
            problems.add(entry.line, path(entry.key), "unknown_key", "there is no such field", hint)
        }
    }

    func mapping(_ field: String) -> FieldReader? {
        entry(field).flatMap { FieldReader($0.value, key: path(field), problems: problems) }
    }

    /// Returns the text of a field; nil when it is missing, or, with a problem, when it is not text or not valid.
    func text(_ field: String, _ expected: String, where isValid: (String) -> Bool) -> String? {
        guard let entry = entry(field) else { return nil }
        guard let text = entry.value.text, isValid(text) else {
            problems.add(entry.line, path(field), "invalid_value", "not \(expected)")
            return nil
        }
        return text
    }

    /// Returns line and key of the field with that text, preferred fields first; those of the mapping if there is
    /// none.
    func location(
        ofValue text: String,
        preferring isPreferred: (String) -> Bool = { _ in true }
    ) -> (line: Int, key: String) {
        let entries = entries.filter { $0.value.text == text }
        let entry = entries.first { isPreferred($0.key) } ?? entries.first
        return entry.map { ($0.line, path($0.key)) } ?? (line, key)
    }

    /// Returns the content of a file; its name is relative to the folder of the file being read.
    func file(_ name: String) -> Secret? {
        let path = PathText.absolute(name, from: PathText.folder(of: problems.file))
        if let content = FileManager.default.contents(atPath: path) {
            let secret = Secret(Array(content), source: path)
            problems.noteRead(name, secret)
            return secret
        }
        let reason = FileManager.default.fileExists(atPath: path) ? "cannot be read" : "does not exist"
        let location = location(ofValue: name)
        problems.add(
            location.line,
            location.key,
            "unreadable_file",
            "the file \(path) \(reason)",
            "paths are relative to \(problems.file)"
        )
        return nil
    }
}
