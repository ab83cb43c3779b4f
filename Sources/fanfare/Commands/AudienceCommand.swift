import ArgumentParser
import Campaigns
import Operations
import Store

/// The commands about audiences.
struct AudienceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audience",
        abstract: "The audience of a job or a segment.",
        subcommands: [Check.self]
    )

    /// Counts an audience.
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Count the audience of a job or a segment, by provider, locale and time zone; nothing is sent.",
            discussion: """
                Of more than 16,384 device numbers in the registry the number is an estimate, with the largest error of
                19 in 20 cases; --exact counts every device.

                Examples:
                  fanfare audience check derby.json --exact
                  fanfare audience check --segment 'league:laliga && !muted && app_version >= 3.2' --app news
                """
        )

        @Argument(help: "The file with the job (JSON), or - for standard input.")
        var file: String?

        @Option(help: "A segment instead of a job.")
        var segment: String?

        @Option(help: "The app of the segment.")
        var app: String?

        @Flag(help: "Count every device, however many there are.")
        var exact = false

        @Flag(help: "Say which indexes of the registry find the devices, and what that reads.")
        var explain = false

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard (file == nil) != (segment == nil) else { throw ValidationError("give a job's file, or --segment") }
            guard (segment == nil) == (app == nil) else { throw ValidationError("--app goes with --segment") }
            if let app, !NameRule.isApp(app) {
                throw ValidationError("--app is 1 to 128 of the characters A-Z a-z 0-9 . _ -")
            }
        }

        func run() async throws {
            let (selector, exclude, app) = try audience()
            let count = try await options.withLedger { ledger in
                do {
                    return try await AudienceCount.of(
                        selector,
                        exclude: exclude,
                        app: app,
                        isExact: exact,
                        explains: explain,
                        in: ledger
                    )
                } catch let error as AudienceCount.UnknownList { throw CommandFailure(.failed, error.problem.detail) }
            }
            output.write(count.text, count.json)
        }

        private func audience() throws -> (selector: Audience, exclude: Audience?, app: String) {
            if let file {
                let job = try JobFile(file).decode(list: nil, at: WallClock.now().asRead).job
                return (job.audience, job.exclude, job.app)
            }
            do throws(SegmentProblem) {
                return (.segment(try Segment(segment ?? "")), nil, app ?? "")
            } catch {
                let detail = "column \(error.column): \(error.detail)"
                let problem = Problem(pointer: "/audience/segment", code: error.code, detail: detail, fix: error.fix)
                let title = "The segment cannot be read"
                throw CommandFailure(ProblemDocument(.invalidAudience, title: title, errors: [problem]))
            }
        }
    }
}
