package import Campaigns
package import Settings

/// A job whose message the app shows in place of the system, for people who check it before it is sent.
package enum MessagePreview {
    /// Returns the message of each language, the standard one first; nil for a job that sends pushes.
    ///
    /// Equal for all devices of a language; sessions decide who gets it.
    package static func json(_ job: Job, apps: [AppConfiguration]) -> JSONValue? {
        if job.sendsPushes { return nil }
        let locales = [nil] + job.content.localizations.map { Optional($0.locale) }
        if job.kind == .inApp {
            let messages = locales.map { ($0, job.inAppMessage(for: $0)?.encoded) }
            return .object([
                "kind": .string(job.kind.rawValue),
                "messages": list(messages, "message"),
                "delivery": job.delivery.inApp?.encoded,
            ])
        }
        let rules = apps.first { $0.name == job.app }?.rules ?? AppContentRules()
        let notifications = locales.enumerated().map { index, locale in
            (locale, Optional(InsideNotification.json(job.localized(index == 0 ? nil : index - 1), rules: rules)))
        }
        return .object(["kind": .string(job.kind.rawValue), "notifications": list(notifications, "notification")])
    }

    private static func list(_ entries: [(locale: String?, value: JSONValue?)], _ name: String) -> JSONValue {
        .array(
            entries.map { entry in
                let locale = JSONMember("locale", entry.locale.map(JSONValue.string) ?? .null)
                return .object([locale] + (entry.value.map { [JSONMember(name, $0)] } ?? []))
            }
        )
    }
}
