/// An app's `edge` block: message keys, and the rights of its devices.
struct EdgeFields {
    private static let known = [
        "message_key_file", "integration_keys_file", "user_keys_file", "require_user_token", "device_tags",
        "web_origins",
    ]

    /// The keys of message ids; nil when the block names none, or, with a problem, none that can be used.
    let messageKeys: MessageKeys?
    /// The rights of devices; nil when the block names no integration keys.
    let edge: EdgeConfiguration?

    /// Reads the block and notes its problems.
    init(_ fields: FieldReader) {
        fields.refuseUnknown(known: Self.known)
        messageKeys = Self.messageKeys(fields)
        let integrationKeys = Self.integrationKeys(fields)
        let userKeys = Self.userKeys(fields)
        let requiresUserToken = Self.flag(fields, "require_user_token")
        let devicesMayTag = Self.flag(fields, "device_tags")
        if requiresUserToken, fields.entry("user_keys_file") == nil {
            fields.problems.add(
                fields.entry("require_user_token")?.line ?? fields.line,
                fields.path("require_user_token"),
                "missing",
                "user tokens are required, and there are no keys that verify them",
                "add user_keys_file, a JWK set with the public keys of the app's back end"
            )
        }
        let webOrigins = WebOrigins.read(fields)
        edge = integrationKeys.map {
            EdgeConfiguration(
                integrationKeys: $0,
                userKeys: userKeys,
                requiresUserToken: requiresUserToken,
                devicesMayTag: devicesMayTag,
                webOrigins: webOrigins,
                files: ["message_key_file", "integration_keys_file", "user_keys_file"]
                    .compactMap { fields.entry($0)?.value.text }
                    .map { PathText.absolute($0, from: PathText.folder(of: fields.problems.file)) }
            )
        }
    }

    private static func flag(_ fields: FieldReader, _ name: String) -> Bool {
        fields.text(name, "true or false", where: { ["true", "false"].contains($0) }) == "true"
    }

    private static func integrationKeys(_ fields: FieldReader) -> [IntegrationKey]? {
        let field = "integration_keys_file"
        guard let name = fields.text(field, "a file's name", where: { !$0.isEmpty }) else { return nil }
        do throws(ConfigurationError) {
            return try IntegrationKeysFile.read(
                path: PathText.absolute(name, from: PathText.folder(of: fields.problems.file))
            )
        } catch {
            let line = fields.entry(field)?.line ?? fields.line
            for problem in error.problems {
                let detail = [problem.location, problem.key, problem.detail].filter { !$0.isEmpty }.joined(
                    separator: ": "
                )
                fields.problems.add(line, fields.path(field), problem.code, detail, problem.fix)
            }
            return nil
        }
    }

    private static func userKeys(_ fields: FieldReader) -> UserKeys? {
        let field = "user_keys_file"
        guard let name = fields.text(field, "a file's name", where: { !$0.isEmpty }), let file = fields.file(name)
        else { return nil }
        do throws(UserKeys.Unusable) {
            return try UserKeys(file: file.bytes)
        } catch {
            fields.problems.add(
                fields.entry(field)?.line ?? fields.line,
                fields.path(field),
                "invalid_key",
                "\(file.source): \(error.detail)",
                "write the public keys of the app's back end as a JWK set (RFC 7517): {\"keys\": [...]}"
            )
            return nil
        }
    }

    private static func messageKeys(_ fields: FieldReader) -> MessageKeys? {
        let field = "message_key_file"
        guard let name = fields.text(field, "a file's name", where: { !$0.isEmpty }), let secret = fields.file(name)
        else { return nil }
        do throws(MessageKeys.Unusable) {
            return try MessageKeys(file: secret.bytes)
        } catch {
            let location = secret.source + (error.line.map { ":\($0)" } ?? "")
            fields.problems.add(
                fields.entry(field)?.line ?? fields.line,
                fields.path(field),
                "invalid_key",
                "\(location): \(error.detail)",
                "one line a key, two at most, the first signs: echo \"1 $(openssl rand -hex 32)\" > \(name)"
            )
            return nil
        }
    }
}
