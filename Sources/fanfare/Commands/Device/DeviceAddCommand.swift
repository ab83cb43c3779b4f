import ArgumentParser
import Campaigns
import Operations
import PushProviders
import Store

extension DeviceCommand {
    /// Registers or changes one device.
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Register a device, or change a registered one.",
            discussion: """
                Omitted values stay as they are. With --from the device counts as registered now: a token that had died \
                is live again. A token cannot be an argument, because all users of a host can see arguments.

                Examples:
                  fanfare device add ana-iphone --app news --from ana.txt --user ana --locale es-ES --tag sport
                  fanfare device add ana-iphone --app news --untag sport --attribute level=5
                """
        )

        @Argument(help: "The installation's id.")
        var id: String

        @Option(help: "A file with the provider's token in it, or - for standard input; not for a device that has one.")
        var from: String?

        @Option(help: "apns, fcm or webpush.")
        var provider: String?

        @Option(help: "For apns: production or sandbox.")
        var environment: String?

        @Option(help: "The user's key; an empty one logs the user out.")
        var user: String?

        @Option(help: "A BCP 47 tag such as es-ES.")
        var locale: String?

        @Option(help: "An IANA name such as Europe/Madrid.")
        var timeZone: String?

        @Option(help: "The app's version.")
        var appVersion: String?

        @Option(help: "The count on the app's icon, from 0.")
        var badge: Int?

        @Option(help: "authorized, provisional, denied or unknown.")
        var permission: String?

        @Option(help: "A tag to add; may be repeated.")
        var tag: [String] = []

        @Option(help: "A tag to remove; may be repeated.")
        var untag: [String] = []

        @Option(help: "NAME=VALUE; may be repeated.")
        var attribute: [String] = []

        @Flag(help: "Only check the values.")
        var dryRun = false

        @OptionGroup var whose: RegistryApp
        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard attribute.allSatisfy({ $0.dropFirst().contains("=") }) else {
                throw ValidationError("--attribute is NAME=VALUE")
            }
            guard (tag + untag).allSatisfy(RegistrationRules.isTag) else {
                throw ValidationError("a tag has 1 to 128 bytes and no control characters")
            }
        }

        func run() async throws {
            let app = whose.app
            let result = try await options.withLedger { ledger -> RegistrationResult? in
                var (token, provider) = (try from.map(TokenFile.text), provider)
                if token == nil {
                    let id = id
                    let known = try await ledger.read { try $0.device(app: app, installation: id) }
                        .map { DeviceView($0) }
                    token = known?.line["token"]?.string
                    guard token != nil else { throw CommandFailure(.usage, "\(id) has no token: add --from FILE") }
                    // The token keeps its provider.
                    provider = known?.line["provider"]?.string
                }
                let registration = try registration(token: token, of: provider)
                if dryRun { return nil }
                return try await Registry.register([registration], app: app, in: ledger).first
            }
            let text = result?.rawValue ?? "checked"
            let json = JSONValue.object([
                "app": .string(app), "id": .string(id), "result": .string(text), "dry_run": .bool(dryRun),
            ])
            output.write("\(app)/\(id): \(text.replacing("_", with: " "))", json)
            if let result, [.outdated, .forgotten, .tooMany].contains(result) { throw FanfareExit.failed }
        }

        private func registration(token known: String?, of provider: String?) throws -> DeviceRegistration {
            let attributes = attribute.map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return JSONMember(String(parts[0]), AttributeValue(cell: String(parts[1])).json)
            }
            let object = JSONValue.object([
                "token": known.map(JSONValue.string), "id": .string(id), "provider": provider.map(JSONValue.string),
                "environment": environment.map(JSONValue.string),
                "user": user.map { $0.isEmpty ? .null : .string($0) }, "locale": locale.map(JSONValue.string),
                "time_zone": timeZone.map(JSONValue.string), "app_version": appVersion.map(JSONValue.string),
                "permission": permission.map(JSONValue.string),
                "badge": badge.map { .number(JSONNumber($0)) },
                "registered_at": from == nil ? nil : .string(WallClock.now().asRead.rfc3339),
                "attributes": attributes.isEmpty ? nil : .object(attributes),
            ])
            let decoded = DeviceRegistration.decode(object, ProviderRegistry.tokens)
            guard var registration = decoded.registration else {
                throw CommandFailure(
                    ProblemDocument(
                        .invalidAudience,
                        title: "The device cannot be registered",
                        errors: decoded.problems
                    )
                )
            }
            if !tag.isEmpty || !untag.isEmpty { registration.tags = .change(add: tag, remove: untag) }
            return registration
        }
    }
}
