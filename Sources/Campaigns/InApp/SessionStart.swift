/// A session that starts on a device: the body of `POST /v1/sessions`.
public struct SessionStart: Sendable, Equatable {
    /// The session's id, a UUID in lower or upper case.
    public var id: String
    /// The start, by the phone's clock.
    public var startedAt: Timestamp
    /// A BCP 47 tag; nil: the locale in the registry.
    public var locale: String?

    /// Decodes a session; reports everything that is wrong with it.
    public static func decode(_ value: JSONValue) -> (session: SessionStart?, problems: [Problem]) {
        let log = ProblemLog()
        guard let reader = ObjectReader(value, at: .root, JobFields.session, log) else { return (nil, log.all) }
        reader.require("id", fix: "give the session a UUID of its own")
        reader.require("started_at")
        let id = reader.text("id")
        if let id, !TrackingRequest.isUUID(id) {
            log.refuse(.format, at: JSONPointer(text: "/id"), "id must be a UUID")
        }
        let startedAt = reader.instant("started_at")
        let locale = reader.text("locale")
        if let locale, !DeviceRule.isLocale(locale) {
            log.refuse(.format, at: JSONPointer(text: "/locale"), "locale must be a BCP 47 tag such as pt-BR")
        }
        guard log.isEmpty, let id, let startedAt else { return (nil, log.all) }
        return (SessionStart(id: id, startedAt: startedAt, locale: locale), [])
    }
}

extension JobFields {
    /// The fields of a session, which is no part of a job.
    static let session = FieldList("the session", ["id", "started_at", "locale"])
}
