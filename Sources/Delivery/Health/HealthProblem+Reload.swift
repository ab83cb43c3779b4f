import Campaigns

/// The problems for which a person has to act after a reload.
extension ReloadAnswer {
    /// The refused files of a worker; nil if it has taken everything over.
    func problem(of worker: String) -> HealthProblem? {
        guard !refusals.isEmpty else { return nil }
        let subject = "worker \(worker)"
        return HealthProblem(
            .reloadRefused,
            of: subject,
            since: at,
            "\(subject) refuses a file and goes on with what it had of it: \(refused)",
            remedy: "correct it on its host, then fanfare app reload"
        )
    }
}

extension ReloadStanding {
    /// The workers that live and do not answer, one problem each.
    func problems(now: Timestamp) -> [HealthProblem] {
        overdue(now: now).map { line in
            let subject = "worker \(line.worker)"
            return HealthProblem(
                .reloadUnanswered,
                of: subject,
                since: order.at,
                "\(subject) has not answered the order to read its files again",
                remedy: "see its log; send it SIGHUP, or restart it"
            )
        }
    }
}
