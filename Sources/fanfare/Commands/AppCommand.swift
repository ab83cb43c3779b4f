import ArgumentParser
import Campaigns
import Fleet

/// The commands about apps.
struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "The apps that pushes are sent for.",
        subcommands: [Check.self]
    )

    /// Tries the keys, so that a wrong one is found before the first push.
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Read the apps file and try every key and certificate, without sending anything."
        )

        @Argument(help: "Only this app.")
        var name: String?

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let file = try options.load().appsFile
            let apps = try AppsFile.read(path: file).filter { name == nil || $0.name == name }
            if let name, apps.isEmpty { throw CommandFailure(.notFound, "\(file) has no app \(name)") }
            if output.json {
                Terminal.write(JSONValue.array(apps.map(Self.json)).text + "\n")
                return
            }
            var table = TextTable([
                ("app", .left), ("provider", .left), ("topic", .left), ("credential", .left), ("environment", .left),
                ("endpoint", .left),
            ])
            for app in apps {
                guard let apns = app.apns else { continue }
                table.add([
                    app.name, "apns", apns.topic, Self.credential(apns), apns.environment.rawValue,
                    Self.endpoint(apns) ?? "Apple",
                ])
            }
            Terminal.write(table.text + "\n")
        }

        private static func json(_ app: AppConfiguration) -> JSONValue {
            .object([
                "app": .string(app.name),
                "apns": app.apns.map { apns in
                    .object([
                        "topic": .string(apns.topic), "credential": .string(credential(apns)),
                        "environment": .string(apns.environment.rawValue),
                        "endpoint": endpoint(apns).map(JSONValue.string) ?? .null,
                    ])
                },
            ])
        }

        private static func credential(_ apns: APNsConfiguration) -> String {
            switch apns.credential {
            case .key(let team, let key, _): "key \(key) of team \(team)"
            case .certificate(let certificate, _): "certificate \(certificate.source)"
            }
        }

        private static func endpoint(_ apns: APNsConfiguration) -> String? {
            apns.endpoint.map { "https://\($0.host):\($0.port)" }
        }
    }
}
