package import Campaigns
import PushProviders
package import Store

/// A stream of devices in CSV or NDJSON, from a file or over HTTP, on their way into a list.
///
/// After the first bad line the rest is only checked. Without a ledger it writes nothing. Confined to one task; it
/// must end with `finish` or `abandon`.
package final class AudienceStream {
    private let upload: ListUpload
    private var reader: AudienceFileReader

    /// Creates a stream.
    package init(
        _ format: AudienceFileFormat,
        app: String,
        list: String,
        id: String? = nil,
        to ledger: Ledger?
    ) throws(LedgerError) {
        upload = try ListUpload(app: app, name: list, id: id, to: ledger)
        reader = AudienceFileReader(format, tokens: ProviderRegistry.tokens)
    }

    /// Devices so far.
    package var deviceCount: Int { reader.report.deviceCount }
    /// True if the rest cannot be used and need not be read.
    package var isUnusable: Bool { reader.report.isUnusable }

    /// Begins an upload that has an id, or finds what the ledger has of it; returns the number of chunks.
    package func begin() async throws -> Int { try await upload.begin() }

    /// Takes the next bytes.
    package func take(_ piece: [UInt8]) async throws {
        var devices: [Device] = []
        reader.read(piece) { device, _ in devices.append(device) }
        if reader.report.problemCount == 0 { try await upload.add(devices) }
    }

    /// Ends the stream: the list becomes visible, or nothing of it is kept.
    package func finish() async throws -> AudienceFile.Result {
        var devices: [Device] = []
        reader.finish { device, _ in devices.append(device) }
        guard reader.report.problemCount == 0 else {
            try await upload.discard()
            return .refused(reader.report)
        }
        try await upload.add(devices)
        return .uploaded(try await upload.finish(), warnings: reader.report.warnings)
    }

    /// Gives the list up: nothing is kept, except of an upload that has an id.
    package func abandon() async throws(LedgerError) { try await upload.abandon() }
}

extension AudienceFileReport {
    /// Returns the answer to devices that cannot be used; `source` names their origin.
    package func refusal(of source: String) -> ProblemDocument {
        var listed = problems.map(\.problem)
        let more = problemCount - problems.count
        if more > 0 {
            listed.append(Problem(pointer: "", code: .moreProblems, detail: moreText(more), fix: "mend these first"))
        }
        let count = problemCount == 1 ? "1 problem" : "\(NumberText.grouped(problemCount)) problems"
        return ProblemDocument(
            .invalidAudience,
            title: "\(source) cannot be used: \(count), nothing of it was kept",
            errors: listed,
            warnings: warnings.map(\.problem)
        )
    }

    /// A text about the problems that are not listed, for people; nil when all are.
    package var unlisted: String? { problemCount > problems.count ? moreText(problemCount - problems.count) : nil }

    private func moreText(_ count: Int) -> String { "\(NumberText.grouped(count)) more problems are not listed" }
}

extension ListUpload.Summary {
    /// Returns the result of an upload, as `list put --json` and the HTTP API show it.
    package func json(
        app: String,
        list: String,
        upload: String? = nil,
        warnings: [AudienceFileProblem]
    ) -> JSONValue {
        .object([
            "app": .string(app), "name": .string(list), "version": .string(version),
            "upload": upload.map(JSONValue.string),
            "devices": .number(JSONNumber(devices)), "duplicates": .number(JSONNumber(duplicates)),
            "existing": .bool(isKnown), "warnings": .array(warnings.map(\.problem.json)),
        ])
    }
}
