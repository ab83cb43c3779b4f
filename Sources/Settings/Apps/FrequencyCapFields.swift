import Delivery

/// Reads an app's `frequency_cap` in `apps.yaml`: a list of rules, all of which apply.
enum FrequencyCapFields {
    /// Returns the rules; leaves out, with a problem, each that is not valid.
    static func read(_ app: FieldReader) -> FrequencyCap {
        let field = "frequency_cap"
        guard let entry = app.entry(field) else { return FrequencyCap() }
        let key = app.path(field)
        guard case .sequence(let elements) = entry.value.value else {
            app.problems.add(
                entry.line,
                key,
                "wrong_type",
                "a list of rules is expected here",
                "write it like [{most: 3, per: 1d, tags: [sport]}]"
            )
            return FrequencyCap()
        }
        if elements.count > FrequencyCap.rulesMax {
            let detail = "there are \(elements.count) rules, at most \(FrequencyCap.rulesMax) are allowed"
            app.problems.add(entry.line, key, "invalid_value", detail)
        }
        return FrequencyCap(
            elements.enumerated().compactMap { index, element in
                FieldReader(element, key: "\(key)[\(index)]", problems: app.problems).flatMap(rule)
            }
        )
    }

    private static func rule(_ fields: FieldReader) -> FrequencyCap.Rule? {
        fields.refuseUnknown(known: ["most", "per", "tags"])
        for field in ["most", "per"] where fields.entry(field) == nil {
            fields.problems.add(fields.line, fields.key, "missing", "the rule does not say \(field)")
        }
        let most = fields.text("most", "a whole number from 1 to \(FrequencyCap.mostMax)") {
            Int($0).map { (1...FrequencyCap.mostMax).contains($0) } ?? false
        }
        let per = fields.text("per", "a duration from 1s to 30d, such as 12h") { text in
            DurationText.parse(text).map { (FrequencyCap.windowMin...FrequencyCap.windowMax).contains($0) } ?? false
        }
        let tags = tags(fields)
        guard let most = most.flatMap({ Int($0) }), let per = per.flatMap({ DurationText.parse($0) }), let tags else {
            return nil
        }
        return FrequencyCap.Rule(most: most, per: per, tags: tags)
    }

    /// Returns nil, with a problem, when the field is not a list of tags; an empty list would mean every campaign.
    private static func tags(_ fields: FieldReader) -> Set<String>? {
        guard let entry = fields.entry("tags") else { return [] }
        if case .sequence(let elements) = entry.value.value, !elements.isEmpty {
            let texts = elements.compactMap(\.text).filter { !$0.isEmpty }
            if texts.count == elements.count { return Set(texts) }
        }
        fields.problems.add(
            entry.line,
            fields.path("tags"),
            "invalid_value",
            "not a list of campaigns' tags",
            "write it like [sport], or leave it out for every campaign"
        )
        return nil
    }
}
