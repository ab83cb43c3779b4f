import Campaigns
import PushProviders

/// Reads an app's block for any provider: the provider judges the fields, this type reads the files.
enum AccountFields {
    /// Returns nil when the block cannot be used; the problems say why.
    static func read(_ fields: FieldReader, of provider: any PushProvider) -> AccountConfiguration? {
        var read: [String: Secret] = [:]
        guard let account = account(fields, of: provider, &read) else { return nil }
        let names = Set(account.credential.files + [account.caFile].compactMap(\.self))
        var files: [String: Secret] = [:]
        for name in names.sorted() { files[name] = read[name] ?? fields.file(name) }
        guard files.count == names.count else { return nil }
        let location = "\(fields.problems.file):\(fields.line)"
        let configuration = AccountConfiguration(account: account, files: files, location: location)
        CredentialCheck.check(configuration, fields: fields)
        return configuration
    }

    /// `read` collects the files that the provider read.
    private static func account(
        _ fields: FieldReader,
        of provider: any PushProvider,
        _ read: inout [String: Secret]
    ) -> (any ProviderAccount)? {
        // A value that is not text is passed on as an empty one: its key counts as given, so that the provider does
        // not report it as missing, and still says whether it knows such a field.
        var settings: [String: String] = [:]
        for entry in fields.entries { settings[entry.key] = entry.value.text ?? "" }
        var account: (any ProviderAccount)?
        var refused: [Problem] = []
        do throws(SettingsRefused) {
            account = try provider.account(settings) { name in
                read[name] = fields.file(name)
                return read[name]?.bytes
            }
        } catch {
            refused = error.problems
        }
        let isComplete = noteValuesThatAreNoText(fields, refused: &refused)
        for problem in refused { note(problem, fields) }
        return isComplete ? account : nil
    }

    /// Replaces the provider's problems with values that are not text, unless the provider does not know the field.
    private static func noteValuesThatAreNoText(_ fields: FieldReader, refused: inout [Problem]) -> Bool {
        var isComplete = true
        for entry in fields.entries where entry.value.text == nil {
            let pointer = pointer(of: entry)
            if refused.contains(where: { $0.pointer == pointer && $0.code == ProblemCode.unknownField.rawValue }) {
                continue
            }
            refused.removeAll { $0.pointer == pointer }
            isComplete = false
            if case .null = entry.value.value {
                let fix = "give one, or leave the field out"
                fields.problems.add(entry.line, fields.path(entry.key), "no_value", "the field has no value", fix)
            } else {
                fields.problems.add(
                    entry.line,
                    fields.path(entry.key),
                    "wrong_type",
                    "a single value is expected here"
                )
            }
        }
        return isComplete
    }

    /// The provider's pointers are relative to the block: the line is the field's, or the block's when it is missing.
    private static func note(_ problem: Problem, _ fields: FieldReader) {
        let entry = fields.entries.first { pointer(of: $0) == problem.pointer }
        let name = entry?.key ?? String(problem.pointer.dropFirst())
        fields.problems.add(
            entry?.line ?? fields.line,
            name.isEmpty ? fields.key : fields.path(name),
            problem.code,
            problem.detail,
            problem.fix
        )
    }

    private static func pointer(of entry: YAMLTree.Entry) -> String {
        JSONPointer.root.appending(entry.key).text
    }
}
