import Campaigns
package import Delivery
import Foundation
import PushProviders

/// Reads `apps.yaml` (contract, section 4) and every file that it names.
package enum AppsFile {
    /// Returns the apps by name; throws all problems of the file at once.
    ///
    /// Key files are read and checked here, so that an unusable key is found before the first push.
    ///
    /// `webhookHosts`: the hosts that events may be posted to; nil in a process that posts nothing: every host is
    /// accepted. `holdsKeys` is false in a process that sends nothing and must not have a provider's key: the
    /// providers' blocks are not read.
    package static func read(
        path: String,
        webhookHosts: WebhookHosts? = nil,
        holdsKeys: Bool = true
    ) throws(ConfigurationError) -> [AppConfiguration] {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            let detail = "the apps file cannot be read"
            let fix = "create it, or say where it is with apps.file (FANFARE_APPS_FILE)"
            throw ConfigurationError([
                ConfigurationProblem(location: path, key: "", code: "unreadable_file", detail: detail, fix: fix)
            ])
        }
        return try read(text: text, path: path, webhookHosts: webhookHosts, holdsKeys: holdsKeys)
    }

    /// Reads the apps from a text; paths in it are relative to the folder of `path`.
    static func read(
        text: String,
        path: String,
        webhookHosts: WebhookHosts? = nil,
        holdsKeys: Bool = true
    ) throws(ConfigurationError) -> [AppConfiguration] {
        let tree = try YAMLTree.read(text, location: path)
        let problems = ProblemList(file: path)
        let top = FieldReader(tree, key: "", problems: problems)
        top?.refuseUnknown(known: ["apps"])
        let apps = top?.mapping("apps").flatMap { apps in
            if apps.entries.isEmpty { problems.add(apps.line, "apps", "no_value", "no app is named") }
            return apps.entries.compactMap { entry in
                FieldReader(entry.value, key: "apps.\(entry.key)", problems: problems).flatMap {
                    app(named: entry.key, line: entry.line, fields: $0, webhookHosts, holdsKeys)
                }
            }
        }
        if top != nil, top?.entry("apps") == nil { problems.add(1, "apps", "missing", "no apps are named") }
        if !problems.list.isEmpty { throw ConfigurationError(problems.list) }
        return (apps ?? []).sorted { $0.name < $1.name }
    }

    private static func app(
        named name: String,
        line: Int,
        fields: FieldReader,
        _ webhookHosts: WebhookHosts?,
        _ holdsKeys: Bool
    ) -> AppConfiguration? {
        let blocks = ProviderRegistry.ofBlocks.map(\.name.rawValue)
        fields.refuseUnknown(
            known: ["default_locale", "time_zone", "per_second", "frequency_cap", "events", "webhooks", "edge"]
                + ContentRuleFields.names + blocks
        )
        let allowed = name.utf8.allSatisfy { ByteSets.name.contains($0) }
        if name.isEmpty || name.utf8.count > 128 || !allowed {
            fields.problems.add(
                line,
                fields.key,
                "invalid_name",
                "an app's name is 1 to 128 of letters, digits and . _ : -"
            )
        }
        if holdsKeys, !blocks.contains(where: { fields.entry($0) != nil }) {
            let fix = "add a block: \(blocks.joined(separator: ", "))"
            fields.problems.add(line, fields.key, "missing", "the app has no provider", fix)
        }
        let edge = fields.mapping("edge").map(EdgeFields.init)
        let webhooks = WebhookFields(hosts: webhookHosts).read(fields)
        let accounts =
            !holdsKeys
            ? []
            : ProviderRegistry.ofBlocks.compactMap { provider in
                fields.mapping(provider.name.rawValue).flatMap { AccountFields.read($0, of: provider) }
            }
        return AppConfiguration(
            name: name,
            defaultLocale: fields.text("default_locale", "a BCP 47 tag such as es-ES", where: isLocale),
            timeZone: fields.text("time_zone", "an IANA name such as Europe/Madrid", where: isTimeZone),
            perSecond: fields.text("per_second", "a whole number from 1 to 1000000", where: isRate).flatMap { Int($0) },
            frequencyCap: FrequencyCapFields.read(fields),
            // A webhook that subscribes to events of shards also asks for them.
            askedEvents: webhooks.reduce(EventFields.read(fields)) { $0.union($1.kinds.asked) },
            webhooks: webhooks,
            accounts: accounts,
            providers: ProviderRegistry.ofBlocks.map(\.name).filter { fields.entry($0.rawValue) != nil },
            messageKeys: edge?.messageKeys,
            rules: ContentRuleFields.read(fields),
            edge: edge?.edge,
            // Last, when all files that the entry names have been read.
            version: AppVersion.of(fields.entries, digests: fields.problems.digests)
        )
    }

    private static func isRate(_ text: String) -> Bool { Int(text).map { (1...1_000_000).contains($0) } ?? false }

    private static func isLocale(_ text: String) -> Bool {
        let subtags = text.split(separator: "-", omittingEmptySubsequences: false)
        return text.utf8.count <= 35
            && subtags.allSatisfy {
                (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(ByteSets.alphanumeric.contains)
            }
            && (subtags.first?.utf8.count ?? 0) >= 2
    }

    /// Returns true if the system's zone files have the name; without such files, if it is well formed.
    private static func isTimeZone(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else { return false }
        let zones = "/usr/share/zoneinfo"
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: zones) else { return true }
        return FileManager.default.fileExists(atPath: "\(zones)/\(text)", isDirectory: &isFolder) && !isFolder.boolValue
    }
}

/// The bytes that names consist of.
enum ByteSets {
    static let alphanumeric = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    static let name = alphanumeric.union("._:-".utf8)
}
