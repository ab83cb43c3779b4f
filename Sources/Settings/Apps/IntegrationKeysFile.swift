import Campaigns
import Foundation

/// Reads and writes an app's `edge.integration_keys_file`: a list of `{name, hash, created_at}`.
///
/// Only the commands write the file, and always as a whole, so that a server reads either the old one or the new one.
package enum IntegrationKeysFile {
    /// The most keys that one app may have.
    ///
    /// Nothing gets slower with more, but people have to know the purpose of each.
    package static let countMax = 20

    /// Returns the keys, none if all are revoked; throws all problems of the file at once.
    package static func read(path: String) throws(ConfigurationError) -> [IntegrationKey] {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw problem(
                path,
                "unreadable_file",
                "the file of integration keys cannot be read",
                "make a key with fanfare app key create, which makes the file"
            )
        }
        return try read(text: text, path: path)
    }

    static func read(text: String, path: String) throws(ConfigurationError) -> [IntegrationKey] {
        let tree = try YAMLTree.read(text, location: path)
        let problems = ProblemList(file: path)
        var keys: [IntegrationKey] = []
        if let top = FieldReader(tree, key: "", problems: problems) {
            top.refuseUnknown(known: ["keys"])
            switch top.entry("keys")?.value.value {
            case .sequence(let items):
                keys = items.enumerated().compactMap { index, item in
                    FieldReader(item, key: "keys.\(index)", problems: problems).flatMap(key)
                }
            case nil, .null: break
            default: problems.add(top.line, "keys", "wrong_type", "a list of keys is expected here")
            }
        }
        for name in Dictionary(grouping: keys, by: \.name).filter({ $0.value.count > 1 }).keys.sorted() {
            problems.add(1, "keys", "duplicate", "two keys have the name \(name)")
        }
        if keys.count > countMax {
            problems.add(1, "keys", "too_many", "\(keys.count) keys; an app may have \(countMax)")
        }
        if !problems.list.isEmpty { throw ConfigurationError(problems.list) }
        return keys
    }

    private static func key(_ fields: FieldReader) -> IntegrationKey? {
        let known = ["name", "hash", "created_at"]
        fields.refuseUnknown(known: known)
        for field in known where fields.entry(field) == nil {
            fields.problems.add(fields.line, fields.path(field), "missing", "a key has \(field)")
        }
        let name = fields.text("name", "1 to 128 of letters, digits and . _ -", where: TokensFile.isName)
        let hash = fields.text("hash", "a SHA-256 in 64 hexadecimal digits") { digest($0) != nil }.flatMap(digest)
        let created = fields.text("created_at", "an instant such as 2026-11-20T21:05:00Z", where: isInstant)
        guard let name, let hash, let created else { return nil }
        return IntegrationKey(name: name, hash: hash, createdAt: created)
    }

    private static func isInstant(_ text: String) -> Bool { (try? Timestamp(rfc3339: text)) != nil }

    private static func digest(_ text: String) -> [UInt8]? {
        text.utf8.count == 64 ? Hexadecimal.bytes(text.utf8) : nil
    }

    /// Adds a key to the file, which is created if it does not exist; only its owner may read it.
    ///
    /// Throws when the file cannot be used or written, or when another key has the name. A dry run changes nothing.
    package static func add(
        _ key: IntegrationKey,
        path: String,
        isDryRun: Bool = false
    ) throws(ConfigurationError) {
        let old = FileManager.default.fileExists(atPath: path) ? try read(path: path) : []
        guard !old.contains(where: { $0.name == key.name }) else {
            throw problem(path, "duplicate", "there is a key \(key.name)", "take another name, or revoke that one")
        }
        guard old.count < countMax else {
            throw problem(path, "too_many", "there are \(countMax) keys", "revoke one: fanfare app key revoke")
        }
        if !isDryRun { try write(old + [key], revoked: revoked(path: path), path: path) }
    }

    /// Removes a key from the file; throws when the file cannot be used or written, or has no such key.
    package static func remove(named name: String, path: String, isDryRun: Bool = false) throws(ConfigurationError) {
        let old = try read(path: path)
        guard old.contains(where: { $0.name == name }) else {
            let names = old.isEmpty ? "there is none" : "there are \(old.map(\.name).joined(separator: ", "))"
            throw problem(path, "not_found", "there is no key \(name)", names)
        }
        if isDryRun { return }
        let gone = old.filter { $0.name == name }.map { Revoked(name: name, hash: $0.hash) }
        try write(old.filter { $0.name != name }, revoked: revoked(path: path) + gone, path: path)
    }

    /// A revoked key, kept to find the devices that registered with it.
    package struct Revoked: Sendable, Equatable {
        /// The key's name, which a later key may have too.
        package let name: String
        /// SHA-256 of its text.
        package let hash: [UInt8]
    }

    /// The prefix of a line about a revoked key.
    ///
    /// It is a comment, so that older servers can still read the file.
    private static let revokedMark = "# revoked: "
    /// The number of revoked keys that are remembered; the oldest are dropped.
    private static let revokedMax = 100

    /// Returns the revoked keys, the latest last; none if the file does not exist.
    package static func revoked(path: String) -> [Revoked] {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            guard line.hasPrefix(revokedMark) else { return nil }
            let words = line.dropFirst(revokedMark.count).split(separator: " ").map(String.init)
            guard words.count == 2, TokensFile.isName(words[0]), let hash = digest(words[1]) else { return nil }
            return Revoked(name: words[0], hash: hash)
        }
    }

    private static func write(
        _ keys: [IntegrationKey],
        revoked: [Revoked],
        path: String
    ) throws(ConfigurationError) {
        let lines = keys.map { key in
            let hash = Hexadecimal.text(key.hash)
            return "  - {name: \"\(key.name)\", hash: \"\(hash)\", created_at: \"\(key.createdAt)\"}\n"
        }
        let past = revoked.suffix(revokedMax).map { revokedMark + $0.name + " " + Hexadecimal.text($0.hash) + "\n" }
        let text =
            "# Hashes of integration keys; written by fanfare app key.\n" + past.joined() + "keys:"
            + (keys.isEmpty ? " []\n" : "\n")
        do {
            try PrivateFile.replace(path, Data((text + lines.joined()).utf8))
        } catch {
            throw problem(path, "unwritable_file", "the file cannot be written", "check its folder and permissions")
        }
    }

    /// Returns the path of an app's integration keys file, whether it exists or not.
    ///
    /// Throws when the apps file cannot be read, has no such app, or the app names no such file.
    package static func path(app: String, appsFile: String) throws(ConfigurationError) -> String {
        guard let text = try? String(contentsOfFile: appsFile, encoding: .utf8) else {
            let fix = "create it, or say where it is with apps.file (FANFARE_APPS_FILE)"
            throw problem(appsFile, "unreadable_file", "the apps file cannot be read", fix)
        }
        let tree = try YAMLTree.read(text, location: appsFile)
        let problems = ProblemList(file: appsFile)
        guard let fields = FieldReader(tree, key: "", problems: problems)?.mapping("apps")?.mapping(app) else {
            throw problem(appsFile, "unknown_app", "there is no app \(app)", "add it, or correct the name")
        }
        guard let name = fields.mapping("edge")?.entry("integration_keys_file")?.value.text, !name.isEmpty else {
            throw problem(
                appsFile,
                "missing",
                "the app \(app) does not say where its integration keys are",
                "add to it: edge: {integration_keys_file: \(app).keys}"
            )
        }
        return PathText.absolute(name, from: PathText.folder(of: appsFile))
    }

    private static func problem(_ path: String, _ code: String, _ detail: String, _ fix: String) -> ConfigurationError {
        ConfigurationError([ConfigurationProblem(location: path, key: "", code: code, detail: detail, fix: fix)])
    }
}
