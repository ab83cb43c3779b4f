import Campaigns
import Store

/// A campaign's repetition and its runs, as `campaign status` shows them.
package struct RepeatView: Sendable, Equatable {
    private let status: RepeatStatus

    init(_ status: RepeatStatus) {
        self.status = status
    }

    /// `repeat` of the status: the job's rule, the next run, the latest missed run.
    var json: JSONValue {
        var until: String?
        switch status.repetition?.until {
        case .at(let instant): until = instant.rfc3339
        case .local(let reading): until = reading.text
        case nil: break
        }
        return .object([
            "cron": .string(status.repetition?.cron ?? ""), "time_zone": .string(status.repetition?.timeZone ?? ""),
            "until": text(until), "next_at": text(status.nextAt?.rfc3339), "missed_at": text(status.missedAt?.rfc3339),
            "missed_reason": text(status.missedWhy),
        ])
    }

    /// `runs` of the status, the latest first.
    var runs: [JSONValue] {
        status.runs.map { run in
            .object([
                "id": .string(run.id), "at": .string(run.at.rfc3339), "state": .string(run.state),
                "audience": .number(JSONNumber(run.audience)), "started_at": text(run.startedAt?.rfc3339),
                "completed_at": text(run.completedAt?.rfc3339),
            ])
        }
    }

    /// The repetition for people, as lines.
    var lines: [String] {
        var lines: [String] = []
        if let repetition = status.repetition {
            let local = repetition.isLocal ? ", by each device's clock" : ""
            lines.append("repeats   \(repetition.cron) (\(TerminalText.safe(repetition.timeZone))\(local))")
        }
        lines.append("next run  " + (status.nextAt?.rfc3339 ?? "none"))
        if let missedAt = status.missedAt {
            let why = status.missedWhy.map { " (\(TerminalText.safe($0)))" } ?? ""
            lines.append("missed    \(missedAt.rfc3339)\(why)")
        }
        guard !status.runs.isEmpty else { return lines }
        var table = TextTable(columns: [.left, .left, .right])
        for run in status.runs { table.add([run.id, run.state, NumberText.grouped(run.audience)]) }
        return lines + ["", table.text]
    }

    private func text(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }
}
