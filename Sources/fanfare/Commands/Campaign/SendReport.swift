import Campaigns
import Delivery
import Operations

/// The output of `campaign send`: lines for people as it proceeds, or one JSON document at the end.
struct SendReport {
    let job: Job
    private(set) var warnings: [Problem]
    let isJSON: Bool
    /// The list made from the audience file.
    var uploaded: AudienceUpload.Uploaded?
    /// The providers that would accept the push.
    var validations: [ProviderQuestion.Answered] = []
    /// The forecast; nil where none is made.
    var forecast: Forecast?

    /// The job's result.
    enum Verdict: String {
        /// The job is a campaign now.
        case accepted
        /// The same job is a campaign already.
        case existing
        /// The job is published; no worker has answered yet.
        case pending
        /// The job was only checked.
        case valid
    }

    /// The warnings that a refusal still has to carry: those that were not printed.
    var untold: [Problem] { isJSON ? warnings : [] }

    /// Prints warnings on standard error, a line each.
    func printWarnings(_ lines: [String]) {
        for line in lines { Terminal.writeError("fanfare: warning: \(TerminalText.safe(line))\n") }
    }

    /// Prints the uploaded list.
    func sayUploaded() {
        guard !isJSON, let uploaded else { return }
        uploaded.printWarnings(isJSON: false)
        Terminal.write("\(uploaded.file) is list \(uploaded.line)\n")
    }

    /// Takes the forecast and warns of what it foresees, before anything is sent.
    mutating func foresee(_ forecast: Forecast?, of job: Job, _ file: JobFile) {
        self.forecast = forecast
        let slow = forecast.map { TooSlow.warnings($0, of: job) } ?? []
        warnings += slow
        if !isJSON { printWarnings(file.lines(slow)) }
    }

    /// Reports that no worker answered within the first seconds.
    func sayWaiting() {
        if !isJSON { Terminal.write("\(name) is published; no worker has taken it yet, waiting; \(Self.whoKnows)\n") }
    }

    /// Prints the verdict, with the campaign where there is one.
    func say(_ verdict: Verdict, _ view: CampaignStatusView? = nil) {
        let foreseen = verdict == .existing ? [] : forecast.map { ForecastView($0).lines } ?? []
        let lines = [line(verdict, view)] + validations.map(\.line) + foreseen
        Terminal.write((isJSON ? document(verdict, view).text : lines.joined(separator: "\n")) + "\n")
    }

    private var name: String { "\(job.app)/\(job.id)" }

    /// The job's kind, unless it is a plain notification.
    private var kind: String { job.kind == .notification ? "" : " of kind \(job.kind.rawValue)" }

    private func line(_ verdict: Verdict, _ view: CampaignStatusView?) -> String {
        switch verdict {
        case .valid: "\(name) is a job\(kind) that can be sent: \(audience)"
        case .pending: "\(name) is published; no worker has taken it yet: \(Self.whoKnows)"
        case .existing: "\(name) exists already with the same job\(view.map(Self.state) ?? "")"
        case .accepted: "\(name) is accepted\(view.map(Self.state) ?? "")"
        }
    }

    /// Until a worker takes the job, the ledger does not know it, and `campaign status` cannot tell of it.
    private static let whoKnows = "see fanfare status for the queue of jobs and the workers that take from it"

    private static func state(_ view: CampaignStatusView) -> String {
        let reason = view.stateReason.map { " (\(TerminalText.safe($0)))" } ?? ""
        let expiry = view.isFinished ? "" : view.expiresAt.map { ", until \($0.rfc3339)" } ?? ""
        return ": \(devices(view.audience)), \(view.state)\(reason)\(expiry)"
    }

    private static func devices(_ count: Int) -> String {
        count == 1 ? "1 device" : "\(NumberText.grouped(count)) devices"
    }

    private var audience: String {
        if let uploaded { return "\(uploaded.file) makes list \(uploaded.line)" }
        switch job.audience {
        case .devices(let devices): return Self.devices(devices.count)
        case .list(let name, let version): return "list \(version.map { name + "@" + $0 } ?? name)"
        case .users(let users): return "\(NumberText.grouped(users.count)) user\(users.count == 1 ? "" : "s")"
        case .segment(let segment): return "segment \(segment.text)"
        case .everyone: return "everyone"
        case .channel(let name): return "channel \(name)"
        case .activity(let name): return "activity \(name.id) of \(name.type)"
        }
    }

    private func document(_ verdict: Verdict, _ view: CampaignStatusView?) -> JSONValue {
        .object([
            "campaign": .string(job.id), "app": .string(job.app), "verdict": .string(verdict.rawValue),
            "list": uploaded?.json ?? .null, "warnings": .array(warnings.map(\.json)), "status": view?.json ?? .null,
            "forecast": verdict == .existing ? .null : forecast.map { ForecastView($0).json } ?? .null,
            "validated_by": validations.isEmpty ? nil : .array(validations.map(\.json)),
        ])
    }
}
