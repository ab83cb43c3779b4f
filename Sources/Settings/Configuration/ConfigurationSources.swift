import Foundation

/// The sources of the configuration, kept so that SIGHUP can read them again.
package struct ConfigurationSources: Sendable {
    /// A value given as a flag.
    package struct Flag: Sendable {
        /// The flag as typed, for example `--amqp`.
        package let flag: String
        /// The key that it sets.
        package let key: String
        /// The value.
        package let value: String

        /// Creates a flag that sets a key of the catalogue.
        package init(_ flag: String, key: String, value: String) {
            precondition(ConfigurationCatalogue.key(named: key) != nil, "the flag \(flag) sets an unknown key")
            self.flag = flag
            self.key = key
            self.value = value
        }
    }

    /// The flags, the strongest layer.
    package var flags: [Flag]
    /// The process's environment; only `FANFARE_…` is read.
    package var environment: [String: String]
    /// The path given by `--config`; nil is `fanfare.yaml`, which may be missing.
    package var file: String?
    /// The folder that relative paths start from when there is no file.
    package var workingDirectory: String

    /// Creates sources; without arguments, those of this process and no flags.
    package init(
        flags: [Flag] = [],
        environment: [String: String]? = nil,
        file: String? = nil,
        workingDirectory: String? = nil
    ) {
        self.flags = flags
        self.environment = environment ?? ProcessInfo.processInfo.environment
        self.file = file
        self.workingDirectory = workingDirectory ?? FileManager.default.currentDirectoryPath
    }

    /// Reads all layers and makes the configuration.
    ///
    /// Throws all problems of all layers at once.
    package func load() throws(ConfigurationError) -> Configuration {
        var layers = ConfigurationLayers()
        let base = layers.readFile(path: filePath, isRequired: file != nil) ?? workingDirectory
        layers.readEnvironment(environment, workingDirectory: workingDirectory)
        layers.readFlags(flags)
        return try Configuration(settings: layers.settings, base: base, problems: layers.problems)
    }

    private var filePath: String { PathText.absolute(file ?? "fanfare.yaml", from: workingDirectory) }
}

/// Applies the layers, key by key.
struct ConfigurationLayers {
    private(set) var settings: [String: Setting] = [:]
    private(set) var problems: [ConfigurationProblem] = []

    init() {
        for key in ConfigurationCatalogue.keys {
            settings[key.name] = Setting(key: key, text: key.fallback, origin: .fallback, location: "default")
        }
    }

    /// Reads the YAML file and returns its folder; nil when there is none.
    mutating func readFile(path: String, isRequired: Bool) -> String? {
        if !isRequired, !FileManager.default.fileExists(atPath: path) { return nil }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            let fix = "look at --config and at who may read the file"
            add(path, "", "unreadable_file", "the configuration file cannot be read", fix)
            return nil
        }
        do throws(ConfigurationError) {
            read(try YAMLTree.read(text, location: path), prefix: "", path: path)
        } catch {
            problems += error.problems
        }
        return PathText.folder(of: path)
    }

    private mutating func read(_ tree: YAMLTree, prefix: String, path: String) {
        guard case .mapping(let entries) = tree.value else {
            add("\(path):\(tree.line)", prefix, "wrong_type", "a mapping of keys is expected here")
            return
        }
        for entry in entries {
            let name = prefix.isEmpty ? entry.key : "\(prefix).\(entry.key)"
            let location = "\(path):\(entry.line)"
            if let key = ConfigurationCatalogue.key(named: name) {
                set(key, to: entry.value, location: location)
            } else if ConfigurationCatalogue.keys.contains(where: { $0.name.hasPrefix(name + ".") }) {
                if case .null = entry.value.value { continue }
                read(entry.value, prefix: name, path: path)
            } else {
                let hint = NearestName.hint(name, among: ConfigurationCatalogue.keys.map(\.name))
                add(location, name, "unknown_key", "there is no such key", hint ?? "see fanfare config reference")
            }
        }
    }

    private mutating func set(_ key: ConfigurationKey, to tree: YAMLTree, location: String) {
        switch tree.value {
        case .text(let text): settings[key.name] = Setting(key: key, text: text, origin: .file, location: location)
        case .sequence(let items):
            let texts = items.compactMap { item -> String? in
                if case .text(let text) = item.value { text } else { nil }
            }
            guard key.kind.isList, texts.count == items.count else { fallthrough }
            settings[key.name] = Setting(
                key: key,
                text: texts.joined(separator: ","),
                origin: .file,
                location: location
            )
        case .mapping: add(location, key.name, "wrong_type", "a single value is expected here")
        case .null: add(location, key.name, "no_value", "the key has no value", "give one, or leave the key out")
        }
    }

    mutating func readEnvironment(_ environment: [String: String], workingDirectory: String) {
        let keys = Dictionary(uniqueKeysWithValues: ConfigurationCatalogue.keys.map { ($0.environment, $0) })
        let files = keys.filter(\.value.isSecret).map { ($0.key + "_FILE", $0.value) }
        let fileKeys = Dictionary(uniqueKeysWithValues: files)
        for (variable, value) in environment.sorted(by: { $0.key < $1.key })
        where variable.hasPrefix("FANFARE_") && variable != Contexts.variable {
            if let key = keys[variable] {
                settings[key.name] = Setting(key: key, text: value, origin: .environment, location: variable)
            } else if let key = fileKeys[variable] {
                readSecret(key, variable: variable, path: PathText.absolute(value, from: workingDirectory))
                if environment[key.environment] != nil {
                    add(variable, key.name, "given_twice", "\(key.environment) is set too", "unset one of them")
                }
            } else {
                let hint = NearestName.hint(variable, among: Array(keys.keys) + Array(fileKeys.keys).sorted())
                add(variable, "", "unknown_key", "there is no such variable", hint ?? "see fanfare config reference")
            }
        }
    }

    private mutating func readSecret(_ key: ConfigurationKey, variable: String, path: String) {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            add(variable, key.name, "unreadable_file", "the file \(path) cannot be read")
            return
        }
        let line = text.trimmingCharacters(in: .whitespacesAndNewlines)
        settings[key.name] = Setting(key: key, text: line, origin: .environment, location: variable)
    }

    mutating func readFlags(_ flags: [ConfigurationSources.Flag]) {
        for flag in flags {
            guard let key = ConfigurationCatalogue.key(named: flag.key) else { continue }
            if key.isSecret, SecretURL.passwordRange(flag.value) != nil {
                add(
                    flag.flag,
                    key.name,
                    "password_in_flag",
                    "a password in a flag can be read by everyone on this host",
                    "set \(key.environment), or \(key.environment)_FILE to a file that holds it"
                )
            } else {
                settings[key.name] = Setting(key: key, text: flag.value, origin: .flag, location: flag.flag)
            }
        }
    }

    private mutating func add(
        _ location: String,
        _ key: String,
        _ code: String,
        _ detail: String,
        _ fix: String? = nil
    ) {
        problems.append(ConfigurationProblem(location: location, key: key, code: code, detail: detail, fix: fix))
    }
}
