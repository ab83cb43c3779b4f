import ArgumentParser
import Campaigns
import Delivery
import Operations
import PushProviders
import Settings
import Store

/// Shows the pushes of single devices before anything is sent.
struct CampaignPreviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Render a job's content for single devices, with sizes; nothing is sent.",
        discussion: """
            Without --device: the first device of each language, the longest payload, and one device for each reason \
            why devices get none. A counted badge is what the registry would make it now; nothing is counted.

            Example: fanfare campaign preview job.json --device ana-iphone
            """
    )

    @Argument(help: "The job's JSON, or - for standard input.")
    var file: String

    @Option(help: "A device by its id or token; may be given again.")
    var device: [String] = []

    @Option(help: "Devices from a CSV or NDJSON file, for a job that does not name them itself.")
    var audience: String?

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let audience { _ = try AudienceUpload.format(of: audience, named: nil) }
        if audience == "-" { throw ValidationError("--audience is a file") }
    }

    func run() async throws {
        let file = try JobFile(file)
        let decoded = try file.decode(
            list: audience == nil || file.hasAudience ? nil : "list",
            at: WallClock.now().asRead
        )
        let job = decoded.job
        let apps = knownApps()
        let check = LocalIntake.check(job, apps: apps, now: WallClock.now().asRead)
        guard check.problems.isEmpty, let preview = LocalIntake.preview(job, apps: apps) else {
            throw file.refusal(check.problems, campaign: job.id, warnings: decoded.warnings)
        }
        if !job.sendsPushes {
            // Equal for all devices of a language; sessions decide who gets it.
            let rules = apps.first { $0.name == job.app }?.rules ?? AppContentRules()
            let document = job.kind == .inApp ? inAppDocument(job) : insideDocument(job, rules)
            Terminal.write(document.text + "\n")
            return
        }
        let devices = try devices(job)
        let badges = preview.countsBadges ? try await badges(devices, job) : nil
        let samples = preview.samples(devices, badges: badges)
        var warnings = decoded.warnings + check.warnings
        if audience != nil {
            warnings += ContentPreview.warnings(samples)
            warnings += job.unknownVariables(known: Set(devices.flatMap(\.variables.keys)))
        }
        let report = PreviewReport(
            kind: job.kind,
            devices: devices,
            samples: samples,
            chosen: try chosen(devices, samples),
            warnings: warnings
        )
        output.write(report.text, report.json)
        if !output.json {
            for line in file.lines(warnings) { Terminal.writeError("fanfare: warning: \(TerminalText.safe(line))\n") }
        }
    }

    /// Returns the message of each language, the standard one first, with its display settings.
    private func inAppDocument(_ job: Job) -> JSONValue {
        let locales = [nil] + job.content.localizations.map { Optional($0.locale) }
        return .object([
            "kind": .string(job.kind.rawValue),
            "messages": .array(
                locales.map { locale in
                    .object([
                        "locale": locale.map(JSONValue.string) ?? .null,
                        "message": job.inAppMessage(for: locale)?.encoded,
                    ])
                }
            ),
            "delivery": job.delivery.inApp?.encoded,
        ])
    }

    /// Returns the same for a campaign that the app presents instead of the system.
    private func insideDocument(_ job: Job, _ rules: AppContentRules) -> JSONValue {
        let locales = [nil] + job.content.localizations.map { Optional($0.locale) }
        return .object([
            "kind": .string(job.kind.rawValue),
            "notifications": .array(
                locales.enumerated().map { index, locale in
                    .object([
                        "locale": locale.map(JSONValue.string) ?? .null,
                        "notification": InsideNotification.json(
                            job.localized(index == 0 ? nil : index - 1),
                            rules: rules
                        ),
                    ])
                }
            ),
        ])
    }

    private func devices(_ job: Job) throws -> [Device] {
        if let audience {
            let format = try AudienceUpload.format(of: audience, named: nil)
            do {
                let (devices, report) = try AudienceFile.devices(path: audience, format: format)
                guard report.problemCount == 0 else { throw AudienceUpload.refusal(report, file: audience) }
                return devices
            } catch let error as InputFile.Unreadable { throw CommandFailure(.usage, error.description) }
        }
        if case .devices(let devices) = job.audience { return devices }
        throw CommandFailure(.usage, "the job names a list: give --audience with a file of devices")
    }

    /// Returns the counts that the registry would make; nil for each device without a ledger.
    private func badges(_ devices: [Device], _ job: Job) async throws -> [Int?] {
        do {
            return try await options.withLedger { try await LocalIntake.badges(devices, of: job, in: $0) }
        } catch let failure as CommandFailure where failure.exit == .unavailable {
            Terminal.writeError("fanfare: warning: no badge is shown: the ledger that counts them is not here\n")
            return devices.map { _ in nil }
        }
    }

    /// Returns the indices of the devices to show.
    private func chosen(_ devices: [Device], _ samples: [ContentPreview.Sample]) throws -> [Int] {
        guard device.isEmpty else {
            return try device.map { name in
                guard let index = devices.firstIndex(where: { $0.id == name || $0.token == name.lowercased() }) else {
                    throw CommandFailure(.usage, "no device has the id or token \(name)")
                }
                return index
            }
        }
        var chosen: Set<Int> = []
        let sent = samples.indices.filter { samples[$0].end == nil }
        for group in Dictionary(grouping: sent, by: { samples[$0].locale }).values {
            if let first = group.first { chosen.insert(first) }
        }
        if let longest = sent.max(by: { samples[$0].bytes < samples[$1].bytes }) { chosen.insert(longest) }
        let left = samples.indices.filter { samples[$0].end != nil }
        for group in Dictionary(grouping: left, by: { samples[$0].end?.reason ?? "" }).values {
            if let first = group.first { chosen.insert(first) }
        }
        return chosen.sorted()
    }

    /// Returns the apps that this host can read, for the message ids that count in the size.
    private func knownApps() -> [AppConfiguration] {
        guard let configuration = try? options.load() else { return [] }
        return (try? AppsFile.read(path: configuration.appsFile)) ?? []
    }
}

/// The samples, for people and for scripts.
struct PreviewReport {
    let kind: CampaignKind
    let devices: [Device]
    let samples: [ContentPreview.Sample]
    let chosen: [Int]
    let warnings: [Problem]

    /// Returns the producer's name of a device, or the token's first digits: a whole token is confidential.
    private func name(_ index: Int) -> String { devices[index].id ?? String(devices[index].token.prefix(8)) + "…" }

    var text: String {
        var parts = chosen.map { index in
            let sample = samples[index]
            let size = sample.bytes == 0 ? "" : "\(sample.bytes) of \(sample.bytesMax) bytes"
            let end = sample.end.map { "\($0.outcome.name) (\($0.reason))" } ?? ""
            let head = [name(index), sample.locale ?? "standard", size, end].filter { !$0.isEmpty }
            let payload = sample.payload.isEmpty ? "" : "\n" + String(decoding: sample.payload, as: UTF8.self)
            return TerminalText.safe(head.joined(separator: "  ")) + payload
        }
        let counts = Dictionary(grouping: samples) { sample in
            sample.end.map { "\($0.outcome.name) (\($0.reason))" } ?? "sent"
        }
        let summary = counts.sorted { $0.key < $1.key }.map { "\(NumberText.grouped($0.value.count)) \($0.key)" }
        let what = kind == .notification ? "" : "\(kind.rawValue.replacing("_", with: " ")): "
        parts.append("\(what)of \(NumberText.grouped(samples.count)) devices: \(summary.joined(separator: ", "))")
        return parts.joined(separator: "\n\n")
    }

    var json: JSONValue {
        let counts = Dictionary(grouping: samples) { $0.end?.outcome.name ?? "sent" }
        return .object([
            "kind": .string(kind.rawValue),
            "devices": .number(JSONNumber(samples.count)),
            "counts": .object(
                counts.sorted { $0.key < $1.key }.map { JSONMember($0.key, .number(JSONNumber($0.value.count))) }
            ),
            "samples": .array(chosen.map(sample)),
            "warnings": .array(warnings.map(\.json)),
        ])
    }

    private func sample(_ index: Int) -> JSONValue {
        let sample = samples[index]
        let payload = JSONReader.read(sample.payload).value
        return .object([
            "device": .string(name(index)),
            "locale": sample.locale.map { .string($0) } ?? .null,
            "bytes": .number(JSONNumber(sample.bytes)),
            "bytes_max": .number(JSONNumber(sample.bytesMax)),
            "outcome": sample.end.map { .string($0.outcome.name) } ?? .null,
            "reason": sample.end.map { .string($0.reason) } ?? .null,
            "collapse_id": .string(sample.collapseID),
            "payload": payload ?? .null,
        ])
    }
}
