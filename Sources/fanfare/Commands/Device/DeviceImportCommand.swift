import ArgumentParser
import Campaigns
import Operations
import Store

extension DeviceCommand {
    /// Registers the devices of a file.
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Register the devices of a file.",
            discussion: """
                CSV has a header: token, id (the installation), provider, environment, user, locale, time_zone, tags \
                (separated by semicolons), app_version, permission, badge, registered_at; every other column is an attribute. \
                NDJSON has one object a line with those names, tags an array and attributes an object. An empty cell \
                leaves the known value. A device without an id is named after its token. Lines that are not devices are \
                left out and reported; the others are registered, and the same file may be imported again.

                Examples:
                  fanfare device import devices.csv --app news
                  fanfare device import devices.ndjson --app news --dry-run --json
                """
        )

        @Argument(help: "The file, .csv or .ndjson, or - for standard input.")
        var file: String

        @Option(help: "csv or ndjson, when the file's name does not say it.")
        var format: String?

        @Flag(help: "Only read and check the file.")
        var dryRun = false

        @OptionGroup var whose: RegistryApp
        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            _ = try AudienceUpload.format(of: file, named: format)
        }

        func run() async throws {
            let summary = dryRun ? try await load(nil) : try await options.withLedger { try await load($0) }
            if !output.json {
                for problem in summary.report.problems + summary.report.warnings {
                    let fix = problem.fix.map { " (\($0))" } ?? ""
                    let location = "\(file):\(problem.line):\(problem.column)"
                    Terminal.writeError("fanfare: \(TerminalText.safe("\(location): \(problem.detail)\(fix)"))\n")
                }
            }
            output.write(line(summary), json(summary))
            if summary.report.problemCount > 0 { throw FanfareExit.failed }
        }

        private func load(_ ledger: Ledger?) async throws -> RegistryImport.Summary {
            var bar = UploadBar(isQuiet: output.json)
            defer { bar.clear() }
            do {
                let source = try RegistryImport(path: file, format: AudienceUpload.format(of: file, named: format))
                return try await source.run(app: whose.app, to: ledger) { bar.show($0) }
            } catch let error as InputFile.Unreadable {
                throw CommandFailure(.usage, error.description)
            }
        }

        /// Returns a line such as `99,998 devices: 90,000 added, 9,998 unchanged; 2 lines refused`.
        private func line(_ summary: RegistryImport.Summary) -> String {
            let results = RegistrationResult.allCases.compactMap { result in
                summary.results[result].map {
                    "\(NumberText.grouped($0)) \(result.rawValue.replacing("_", with: " "))"
                }
            }
            let count = summary.report.deviceCount
            let devices = "\(NumberText.grouped(count)) device\(count == 1 ? "" : "s")"
            let what = results.isEmpty ? (dryRun ? ", nothing written" : "") : ": " + results.joined(separator: ", ")
            let refused = summary.report.refusedCount
            let lines = refused == 0 ? "" : "; \(NumberText.grouped(refused)) line\(refused == 1 ? "" : "s") refused"
            return devices + what + lines
        }

        private func json(_ summary: RegistryImport.Summary) -> JSONValue {
            let results = RegistrationResult.allCases.map { result in
                JSONMember(result.rawValue, .number(JSONNumber(summary.results[result] ?? 0)))
            }
            let report = summary.report
            return .object(
                [
                    JSONMember("app", .string(whose.app)),
                    JSONMember("devices", .number(JSONNumber(report.deviceCount))),
                    JSONMember("dry_run", .bool(dryRun)),
                ] + results + [
                    JSONMember("refused", .number(JSONNumber(report.refusedCount))),
                    JSONMember("problem_count", .number(JSONNumber(report.problemCount))),
                    JSONMember("problems", .array(report.problems.map(\.problem.json))),
                    JSONMember("warnings", .array(report.warnings.map(\.problem.json))),
                ]
            )
        }
    }
}
