import Campaigns

/// Reads an app's `events` in `apps.yaml`: the events of each shard that it asks for.
enum EventFields {
    /// Returns the events; notes a problem for an unknown name.
    static func read(_ app: FieldReader) -> AskedEvents {
        let field = "events"
        guard let entry = app.entry(field) else { return [] }
        guard case .sequence(let elements) = entry.value.value else {
            app.problems.add(
                entry.line,
                app.path(field),
                "wrong_type",
                "a list of events is expected here",
                "write it like [\(AskedEvents.names.joined(separator: ", "))]"
            )
            return []
        }
        var asked: AskedEvents = []
        for element in elements {
            let name = element.text ?? ""
            if let event = AskedEvents(name: name) {
                asked.insert(event)
                continue
            }
            app.problems.add(
                entry.line,
                app.path(field),
                "invalid_value",
                "\(name) is no event that an app can ask for",
                NearestName.hint(name, among: AskedEvents.names)
                    ?? "there are \(AskedEvents.names.joined(separator: ", ")); all others are always published"
            )
        }
        return asked
    }
}
