package import Campaigns
package import Store

/// A campaign's results on the phones: `campaign report`, and the same by HTTP.
package struct CampaignReport: Sendable, Equatable {
    /// The campaign's id.
    package let id: String
    /// Its app.
    package let app: String
    /// Its state.
    package let state: String
    /// Devices in its audience.
    package let audience: Int
    /// Devices whose push the provider accepted: the base of the rates, except for campaigns that send no pushes.
    package let accepted: Int
    /// Requests known to have been sent.
    package let attempts: Int
    /// Further devices that may have been sent to, by runs that ended without a report.
    package let maybeSent: Int
    /// The tracking reports of the phones, as a funnel.
    package let funnel: Funnel
    /// The poll with its questions in order; nil for other kinds.
    package let poll: PollForm?

    /// Creates a report.
    package init(
        id: String,
        app: String,
        state: String,
        audience: Int,
        accepted: Int,
        attempts: Int = 0,
        maybeSent: Int = 0,
        funnel: Funnel,
        poll: PollForm? = nil
    ) {
        (self.id, self.app, self.state) = (id, app, state)
        (self.audience, self.accepted, self.funnel, self.poll) = (audience, accepted, funnel, poll)
        (self.attempts, self.maybeSent) = (attempts, maybeSent)
    }

    /// Reads a campaign's report; nil when the ledger has no such campaign.
    ///
    /// Throws `LedgerError`; `ambiguous` without an app, when two apps have the id.
    package static func read(app: String?, id: String, in ledger: Ledger) async throws(LedgerError) -> CampaignReport? {
        let now = ledger.now()
        return try await ledger.read { reader -> CampaignReport? in
            guard let number = try reader.campaignNumber(app: app, id: id),
                let status = try reader.status(campaign: number, now: now)
            else { return nil }
            let job = try reader.storedJob(campaign: number).map { JSONReader.read($0).value }
            return CampaignReport(
                id: status.id,
                app: status.app,
                state: status.state,
                audience: status.audience,
                accepted: status.counts.accepted,
                attempts: status.attempts,
                maybeSent: status.maybeSent,
                funnel: try reader.funnel(campaign: number),
                poll: job.flatMap { $0.flatMap { PollForm(job: $0) } }
            )
        }
    }

    /// The document of `campaign report --json`; a rate is a share of the accepted devices, null when there are none.
    package var json: JSONValue {
        var members = [
            JSONMember("id", .string(id)), JSONMember("app", .string(app)), JSONMember("state", .string(state)),
            JSONMember("audience", .number(JSONNumber(audience))),
            JSONMember("accepted", .number(JSONNumber(accepted))),
            JSONMember("attempts", .number(JSONNumber(attempts))),
            JSONMember("maybe_sent", .number(JSONNumber(maybeSent))),
        ]
        members.append(
            JSONMember(
                "surfaces",
                .object(TrackedSurface.allCases.map { JSONMember($0.word, surface($0)) })
            )
        )
        if let poll { members.append(JSONMember("poll", json(of: poll))) }
        return .object(members)
    }

    private func surface(_ surface: TrackedSurface) -> JSONValue {
        .object(
            TrackedType.allCases.map { type in
                let devices = funnel[surface, type]
                var members = [
                    JSONMember("devices", .number(JSONNumber(devices))),
                    JSONMember("rate", Self.rate(devices, accepted)),
                ]
                if let words = EventTable.words(of: type.event) {
                    let details = funnel.details(surface, type).map {
                        JSONMember($0.name, .number(JSONNumber($0.devices)))
                    }
                    members.append(JSONMember(words, .object(details)))
                }
                return JSONMember(type.word, .object(members))
            }
        )
    }

    private func json(of poll: PollForm) -> JSONValue {
        let questions = poll.questions.map { question in
            let choices = question.choices.map { choice in
                JSONMember(choice, .number(JSONNumber(funnel.choices[question.id]?[choice] ?? 0)))
            }
            return JSONValue.object([JSONMember("id", .string(question.id)), JSONMember("choices", .object(choices))])
        }
        return .object([
            JSONMember("answered", .number(JSONNumber(funnel.answered))), JSONMember("questions", .array(questions)),
        ])
    }

    /// Returns a rate with four decimals; above 1 when a lost answer left fewer devices counted as accepted.
    private static func rate(_ devices: Int, _ accepted: Int) -> JSONValue {
        guard accepted > 0 else { return .null }
        let tenThousandths = (devices * 10_000 + accepted / 2) / accepted
        let (whole, rest) = (tenThousandths / 10_000, tenThousandths % 10_000)
        let digits = String(rest + 10_000).dropFirst()
        return .number(JSONNumber(text: "\(whole).\(digits)"))
    }

    /// The report for people, as tables.
    package var text: String {
        var head = "\(app)/\(id)  \(state), \(NumberText.grouped(accepted)) of \(NumberText.grouped(audience)) accepted"
        if maybeSent > 0 {
            head +=
                ", at least \(NumberText.grouped(attempts)) requests, maybe \(NumberText.grouped(maybeSent)) besides"
        }
        guard !funnel.isEmpty else { return head + "\n\nno phone has reported anything yet" }
        var lines = [head]
        if !funnel.surfaces.isEmpty {
            var table = TextTable([("surface", .left), ("step", .left), ("devices", .right), ("of accepted", .right)])
            for surface in funnel.surfaces { add(surface, to: &table) }
            lines += ["", table.text]
        }
        if poll != nil || funnel.answered > 0 { lines += ["", pollText] }
        return lines.joined(separator: "\n")
    }

    private func add(_ surface: TrackedSurface, to table: inout TextTable) {
        func add(_ name: String, _ devices: Int) {
            let share = accepted > 0 ? NumberText.percent(devices, of: accepted) : ""
            table.add([surface.word, name, NumberText.grouped(devices), share])
        }
        for type in TrackedType.allCases where funnel[surface, type] > 0 {
            add(type.word, funnel[surface, type])
            for detail in funnel.details(surface, type) { add("  \(NameRule.shown(detail.name))", detail.devices) }
        }
    }

    private var pollText: String {
        var table = TextTable([("question", .left), ("choice", .left), ("devices", .right), ("of answered", .right)])
        let questions =
            poll?.questions.map { ($0.id, $0.choices) } ?? funnel.choices.map { ($0.key, $0.value.keys.sorted()) }
        for (question, choices) in questions {
            for choice in choices {
                let devices = funnel.choices[question]?[choice] ?? 0
                let share = funnel.answered > 0 ? NumberText.percent(devices, of: funnel.answered) : ""
                table.add([NameRule.shown(question), NameRule.shown(choice), NumberText.grouped(devices), share])
            }
        }
        return "answered by \(NumberText.grouped(funnel.answered))\n\n" + table.text
    }
}
