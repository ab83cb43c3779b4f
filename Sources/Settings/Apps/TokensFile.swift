package import Campaigns
import Foundation

/// A token of the HTTP API; the server knows its hash, not the token.
package struct AccessToken: Sendable, Equatable {
    /// The name of the token's owner, for histories and logs.
    package let name: String
    /// SHA-256 of the token's text: 32 bytes.
    package let hash: [UInt8]
    /// One of `TokensFile.roles`.
    package let role: String
    /// The apps that it is valid for; nil is all of them.
    package let apps: Set<String>?
    /// The instant from which the token is refused; nil for a token made before tokens had an end.
    package let expiresAt: Timestamp?

    /// Creates a token.
    package init(name: String, hash: [UInt8], role: String, apps: Set<String>?, expiresAt: Timestamp? = nil) {
        self.name = name
        self.hash = hash
        self.role = role
        self.apps = apps
        self.expiresAt = expiresAt
    }
}

/// Reads and changes `server.tokens_file`: a list of `{name, hash, role, apps, expires_at}`.
package enum TokensFile {
    /// The roles of tokens, the weakest first.
    package static let roles = ["viewer", "operator", "admin"]
    /// The range of a new token's validity, up to five years.
    package static let validity = Duration.seconds(3600)...Duration.seconds(1825 * 86_400)

    /// Returns the tokens; throws all problems of the file at once.
    package static func read(path: String) throws(ConfigurationError) -> [AccessToken] {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw ConfigurationError([
                ConfigurationProblem(
                    location: path,
                    key: "",
                    code: "unreadable_file",
                    detail: "the file of access tokens cannot be read",
                    fix: "make a token with fanfare server token create, which makes the file"
                )
            ])
        }
        return try read(text: text, path: path)
    }

    static func read(text: String, path: String) throws(ConfigurationError) -> [AccessToken] {
        let tree = try YAMLTree.read(text, location: path)
        let problems = ProblemList(file: path)
        var tokens: [AccessToken] = []
        if let top = FieldReader(tree, key: "", problems: problems) {
            top.refuseUnknown(known: ["tokens"])
            switch top.entry("tokens")?.value.value {
            case .sequence(let items):
                tokens = items.enumerated().compactMap { index, item in
                    FieldReader(item, key: "tokens.\(index)", problems: problems).flatMap(token)
                }
            case nil, .null: break
            default: problems.add(top.line, "tokens", "wrong_type", "a list of tokens is expected here")
            }
        }
        let names = Dictionary(grouping: tokens, by: \.name).filter { $0.value.count > 1 }.keys.sorted()
        for name in names { problems.add(1, "tokens", "duplicate", "two tokens have the name \(name)") }
        if !problems.list.isEmpty { throw ConfigurationError(problems.list) }
        return tokens
    }

    private static func token(_ fields: FieldReader) -> AccessToken? {
        fields.refuseUnknown(known: ["name", "hash", "role", "apps", "expires_at"])
        for field in ["name", "hash", "role", "apps"] where fields.entry(field) == nil {
            fields.problems.add(fields.line, fields.path(field), "missing", "a token has \(field)")
        }
        let name = fields.text("name", "1 to 128 of letters, digits and . _ -", where: isName)
        let hash = fields.text("hash", "a SHA-256 in 64 hexadecimal digits") { digest($0) != nil }.flatMap(digest)
        let role = fields.text("role", "one of \(roles.joined(separator: ", "))", where: roles.contains)
        var end: Timestamp?
        if fields.entry("expires_at") != nil {
            let text = fields.text("expires_at", "an instant such as 2027-11-20T21:05:00Z") { instant($0) != nil }
            guard let text else { return nil }
            end = instant(text)
        }
        guard let name, let hash, let role, let apps = apps(fields) else { return nil }
        return AccessToken(name: name, hash: hash, role: role, apps: apps.isEmpty ? nil : apps, expiresAt: end)
    }

    /// Returns the named apps, none for `all`; nil, with a problem, when the field is not valid.
    private static func apps(_ fields: FieldReader) -> Set<String>? {
        guard let entry = fields.entry("apps") else { return nil }
        if entry.value.text == "all" { return [] }
        if case .sequence(let items) = entry.value.value {
            let names = items.compactMap(\.text)
            if !names.isEmpty, names.count == items.count, names.allSatisfy(isName) { return Set(names) }
        }
        fields.problems.add(entry.line, fields.path("apps"), "invalid_value", "not all, and not a list of apps")
        return nil
    }

    /// Returns true if a text can be a token's name.
    package static func isName(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.allSatisfy(ByteSets.name.contains) && !text.contains(":")
    }

    private static func instant(_ text: String) -> Timestamp? { try? Timestamp(rfc3339: text) }

    private static func digest(_ text: String) -> [UInt8]? {
        guard text.utf8.count == 64 else { return nil }
        return Hexadecimal.bytes(text.utf8)
    }

    /// Adds a token to the file, which is created if it does not exist; only its owner may read it.
    ///
    /// The file is replaced as a whole, so that a server reads either the old one or the new one. Throws when the file
    /// cannot be used or written, or when another token has the name. A dry run changes nothing.
    package static func add(_ token: AccessToken, path: String, isDryRun: Bool = false) throws(ConfigurationError) {
        let old = FileManager.default.fileExists(atPath: path) ? try read(path: path) : []
        guard !old.contains(where: { $0.name == token.name }) else {
            throw problem(path, "duplicate", "there is a token \(token.name)", "take another name, or remove that one")
        }
        let text = old.isEmpty ? "tokens:\n" : (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        let new = text + (text.hasSuffix("\n") ? "" : "\n") + indent(text) + line(token) + "\n"
        guard (try? read(text: new, path: path)) == old + [token] else {
            throw problem(
                path,
                "invalid_yaml",
                "the file is not written as a plain list",
                "add by hand: \(line(token))"
            )
        }
        if !isDryRun { try replace(path, new) }
    }

    /// Removes a token from the file; the rest, comments included, stays.
    ///
    /// Throws when the file cannot be used or written, has no such token, or does not have the token on a line of its
    /// own, as `add` writes it. A dry run changes nothing.
    package static func remove(named name: String, path: String, isDryRun: Bool = false) throws(ConfigurationError) {
        let old = try read(path: path)
        guard let token = old.first(where: { $0.name == name }) else {
            let names = old.isEmpty ? "there is none" : "there are \(old.map(\.name).joined(separator: ", "))"
            throw problem(path, "not_found", "there is no token \(name)", names)
        }
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        let hash = Hexadecimal.text(token.hash)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let kept = lines.filter { !($0.contains("- {") && $0.contains(hash)) }.joined(separator: "\n")
        let new = old.count == 1 && kept.count < text.count ? "tokens: []\n" : kept
        guard (try? read(text: new, path: path)) == old.filter({ $0.name != name }) else {
            throw problem(path, "invalid_yaml", "the file is not written as a plain list", "take \(name) out by hand")
        }
        if !isDryRun { try replace(path, new) }
    }

    private static func replace(_ path: String, _ text: String) throws(ConfigurationError) {
        do {
            try PrivateFile.replace(path, Data(text.utf8))
        } catch {
            throw problem(path, "unwritable_file", "the file cannot be written", "check its folder and permissions")
        }
    }

    /// Returns the indentation of the last entry.
    private static func indent(_ text: String) -> String {
        let entry = text.split(separator: "\n").last { $0.drop { $0 == " " }.hasPrefix("- ") }
        return entry.map { String($0.prefix { $0 == " " }) } ?? "  "
    }

    private static func line(_ token: AccessToken) -> String {
        let apps = token.apps.map { "[\($0.sorted().map { "\"\($0)\"" }.joined(separator: ", "))]" } ?? "all"
        let hash = Hexadecimal.text(token.hash)
        let end = token.expiresAt.map { ", expires_at: \"\($0.rfc3339)\"" } ?? ""
        return "- {name: \"\(token.name)\", hash: \"\(hash)\", role: \(token.role), apps: \(apps)\(end)}"
    }

    private static func problem(_ path: String, _ code: String, _ detail: String, _ fix: String) -> ConfigurationError {
        ConfigurationError([ConfigurationProblem(location: path, key: "", code: code, detail: detail, fix: fix)])
    }
}
