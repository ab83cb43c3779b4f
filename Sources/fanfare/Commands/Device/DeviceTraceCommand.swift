import ArgumentParser
import Campaigns
import Operations
import Store

extension DeviceCommand {
    /// Traces every campaign's push to a device.
    struct Trace: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print what every campaign did for a device, or for all devices of a user, the latest first.",
            discussion: """
                WHO is an installation's id, the name that a job or a list gave the device, or a token; the device need not be \
                in the registry. A token as an argument is seen by all users of the host: --from reads it from a file.

                Times are those of the device's shard: first request is when a worker began with it, last answer when \
                it was settled. The provider's id is that of the requests (apns-id), the same for all attempts.

                There is no index from devices to campaigns, because it would cost every campaign a write per device. The \
                campaigns' lists are read through, each once: about a second for each gigabyte of them. --since bounds that.

                Examples:
                  fanfare device trace ana-iphone --app news
                  fanfare device trace --user ana --app news --since 2026-11-20T00:00:00Z --json
                  fanfare device trace --from token.txt --app news
                """
        )

        @Argument(
            help: ArgumentHelp("An installation's id, a device's name in a job or list, or a token.", valueName: "who")
        )
        var who: String?

        @Option(help: "All devices of this user.")
        var user: String?

        @Option(help: "A file with a token in it, or - for standard input.")
        var from: String?

        @Option(help: ArgumentHelp("Only campaigns that were accepted from this instant on.", valueName: "instant"))
        var since: SinceArgument?

        @OptionGroup var whose: RegistryApp
        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard [who, user, from].compactMap({ $0 }).count == 1 else {
                throw ValidationError("name one device, a --user, or a token with --from")
            }
        }

        func run() async throws {
            let app = whose.app
            let since = since?.instant ?? Timestamp(milliseconds: 0)
            let token = try from.map(TokenFile.text)
            let search: DeviceSearch =
                if let token { .token(token) } else if let user { .user(user) } else { .device(who ?? "") }
            let found = try await options.withLedger { try await search.traces(app: app, since: since, in: $0) }
            guard let traces = found else {
                let what =
                    user.map { "no device of the user \($0)" } ?? who.map { "no device \($0)" } ?? "no such token"
                throw CommandFailure(.notFound, "the registry of \(app) has \(what), and no campaign's audience either")
            }
            let views = traces.map(DeviceTraceView.init)
            let text = views.map(\.text).joined(separator: "\n\n")
            output.write(
                views.isEmpty ? "no campaign's audience had this device" : text,
                .array(views.map(\.json))
            )
        }
    }
}

/// An instant on the command line.
struct SinceArgument: ExpressibleByArgument {
    let instant: Timestamp

    init?(argument: String) {
        guard let instant = try? Timestamp(rfc3339: argument) else { return nil }
        self.instant = instant
    }
}
