import Campaigns

/// The rules for a job to a channel, besides Apple's for a Live Activity; checked at intake (`push-protocols.md`,
/// C1.9).
enum BroadcastRules {
    /// Returns everything that is wrong with a job.
    static func check(_ job: Job) -> JobCheck {
        var found = APNsRules.check(job, for: BroadcastProvider(), carriesMessageID: false)
        found.problems += [pushType(job), start(job), templates(job), localizations(job)].compactMap(\.self)
        return found
    }

    private static func pushType(_ job: Job) -> Problem? {
        guard job.effectivePushType != .liveactivity else { return nil }
        return Problem(
            pointer: "/delivery/push_type",
            code: .conflict,
            detail: "a channel carries updates of a Live Activity alone, and the push type is "
                + job.effectivePushType.rawValue,
            fix: "set push_type to liveactivity, and give content.live_activity"
        )
    }

    private static func start(_ job: Job) -> Problem? {
        let raw = job.content.apns?["aps"]?["event"]?.string
        guard (raw ?? job.content.liveActivity?.event) == "start" else { return nil }
        return Problem(
            pointer: raw == nil ? "/content/live_activity/event" : "/content/apns/aps/event",
            code: .value,
            detail: "a broadcast updates or ends an activity; Apple starts none with it",
            fix: "give event update or end; the app starts the activity with the channel's id"
        )
    }

    private static func templates(_ job: Job) -> Problem? {
        guard let text = job.personalTexts.first(where: { Template.isIn($0.text) }) else { return nil }
        return Problem(
            pointer: text.location.text,
            code: .templateNotAllowed,
            detail: "a broadcast is the same for all who follow the channel; there is no device with variables",
            fix: "write the text as it is shown"
        )
    }

    private static func localizations(_ job: Job) -> Problem? {
        guard !job.content.localizations.isEmpty else { return nil }
        return Problem(
            pointer: "/content/localizations",
            code: .conflict,
            detail: "a broadcast is the same for all who follow the channel, whatever their language",
            fix: "give title_loc_key and loc_key, which each phone looks up, or a channel for each language"
        )
    }
}
