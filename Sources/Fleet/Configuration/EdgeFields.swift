/// Reads an app's `edge` block: what the phone sees besides the notification.
enum EdgeFields {
    /// Fields of the contract whose part of the product is not built yet.
    private static let laterFields = [
        "integration_keys_file", "user_keys_file", "require_user_token", "device_tags",
    ]

    /// The keys of message ids; nil when the block names none, or, with a problem, none that can be used.
    static func messageKeys(_ fields: FieldReader) -> MessageKeys? {
        let field = "message_key_file"
        fields.refuseUnknown(known: [field], later: laterFields)
        guard let name = fields.text(field, "a file's name", where: { !$0.isEmpty }), let secret = fields.file(name)
        else { return nil }
        do throws(MessageKeys.Unusable) {
            return try MessageKeys(file: secret.bytes)
        } catch {
            let place = secret.source + (error.line.map { ":\($0)" } ?? "")
            fields.problems.add(
                fields.entry(field)?.line ?? fields.line,
                fields.path(field),
                "invalid_key",
                "\(place): \(error.detail)",
                "one line a key, two at most, the first signs: echo \"1 $(openssl rand -hex 32)\" > \(name)"
            )
            return nil
        }
    }
}
