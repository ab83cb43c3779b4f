import ArgumentParser
import Campaigns
import Operations
import Store

/// The upload of an audience file into the ledger: a bar on a terminal, refusals in the contract's form.
struct AudienceUpload {
    private let file: AudienceFile
    private let isJSON: Bool

    /// An uploaded list.
    struct Uploaded {
        let app: String
        let list: String
        let file: String
        let upload: String?
        let summary: ListUpload.Summary
        let warnings: [AudienceFileProblem]

        /// The name by which a job selects exactly this version.
        var reference: String { "\(list)@\(summary.version)" }
    }

    /// Opens the file; an unusable path is wrong usage.
    init(_ path: String, format: String? = nil, isJSON: Bool) throws {
        let format = try Self.format(of: path, named: format)
        do {
            file = try AudienceFile(path: path, format: format)
        } catch {
            throw CommandFailure(.usage, error.description)
        }
        self.isJSON = isJSON
    }

    /// Returns the named format, or the one that the file's name implies.
    static func format(of path: String, named name: String?) throws -> AudienceFileFormat {
        if let name {
            guard let format = AudienceFileFormat(rawValue: name) else {
                throw ValidationError("--format is csv or ndjson")
            }
            return format
        }
        if let format = AudienceFileFormat(fileName: path) { return format }
        throw ValidationError(
            path == "-"
                ? "standard input has no name: say --format csv or --format ndjson"
                : "\(path) is neither .csv nor .ndjson"
        )
    }

    /// Uploads the file.
    ///
    /// Without a ledger it is only read and counted. A file with bad lines is refused as a whole. An upload with an id
    /// goes on where the ledger is.
    func run(app: String, list: String, id: String? = nil, to ledger: Ledger?) async throws -> Uploaded {
        var bar = UploadBar(isQuiet: isJSON)
        let result: AudienceFile.Result
        do {
            result = try await file.upload(app: app, list: list, id: id, to: ledger, begun: tellGoingOn) {
                bar.show($0)
            }
        } catch let error as InputFile.Unreadable {
            bar.clear()
            throw CommandFailure(.usage, error.description)
        } catch let error as UploadProblem {
            bar.clear()
            throw CommandFailure(error.document)
        } catch {
            bar.clear()
            throw error
        }
        bar.clear()
        switch result {
        case .uploaded(let summary, let warnings):
            let name = file.name
            return Uploaded(app: app, list: list, file: name, upload: id, summary: summary, warnings: warnings)
        case .refused(let report): throw Self.refusal(report, file: file.name)
        }
    }

    private func tellGoingOn(chunks: Int) {
        guard chunks > 0, !isJSON else { return }
        let count = NumberText.counted(chunks, "chunk", "chunks")
        Terminal.writeError("fanfare: the ledger has \(count) of it; the rest is written now\n")
    }

    /// Makes the failure with exit 65 and every bad line of a file.
    static func refusal(_ report: AudienceFileReport, file: String) -> CommandFailure {
        let lines = report.problems.map { problem in
            "\(file):\(problem.line):\(problem.column): \(problem.detail)"
                + (problem.fix.map { " (\($0))" } ?? "")
        }
        return CommandFailure(report.refusal(of: file), lines: lines + [report.unlisted].compactMap(\.self))
    }
}

extension AudienceUpload.Uploaded {
    /// `sport@3f2a…: 100,000 devices, 12 repeats left out`.
    var line: String {
        let repeats = summary.duplicates
        let left = repeats == 0 ? "" : ", \(NumberText.grouped(repeats)) repeat\(repeats == 1 ? "" : "s") left out"
        let devices = summary.devices
        let known = summary.isKnown ? ", a version that existed already" : ""
        return "\(reference): \(NumberText.grouped(devices)) device\(devices == 1 ? "" : "s")\(left)\(known)"
    }

    var json: JSONValue { summary.json(app: app, list: list, upload: upload, warnings: warnings) }

    /// Prints the warnings on standard error, a line each; with JSON they are part of the document.
    func printWarnings(isJSON: Bool) {
        guard !isJSON else { return }
        for warning in warnings {
            let fix = warning.fix.map { " (\($0))" } ?? ""
            let location = "\(file):\(warning.line):\(warning.column)"
            Terminal.writeError("fanfare: warning: \(TerminalText.safe("\(location): \(warning.detail)\(fix)"))\n")
        }
    }
}
