import Campaigns

/// Reads an app's declarations about its content: `categories`, `layouts`, `variables` and `payload_names`.
enum ContentRuleFields {
    static let names = ["categories", "layouts", "variables", "payload_names"]

    static func read(_ app: FieldReader) -> AppContentRules {
        AppContentRules(
            categories: app.mapping("categories").map(categories) ?? [],
            layouts: layouts(app),
            variables: app.mapping("variables").map(variables) ?? [],
            payloadNames: app.mapping("payload_names").map(payloadNames) ?? PayloadNames()
        )
    }

    // MARK: - Categories

    private static let example = "write it like LIKE: [{id: LIKE_IT, foreground: true}]"

    private static func categories(_ fields: FieldReader) -> [ActionCategory] {
        fields.entries.compactMap { entry in
            let key = fields.path(entry.key)
            guard case .sequence(let elements) = entry.value.value, !elements.isEmpty else {
                fields.problems.add(entry.line, key, "wrong_type", "a list of buttons is expected here", example)
                return nil
            }
            let actions = elements.compactMap { action($0, key: key, fields.problems) }
            if Set(actions.map(\.id)).count < actions.count {
                fields.problems.add(entry.line, key, "invalid_value", "two buttons have one id")
            }
            return ActionCategory(name: entry.key, actions: actions)
        }
    }

    private static func action(_ tree: YAMLTree, key: String, _ problems: ProblemList) -> ActionCategory.Action? {
        guard let fields = FieldReader(tree, key: key, problems: problems) else { return nil }
        fields.refuseUnknown(known: ["id", "foreground"])
        guard fields.entry("id") != nil else {
            problems.add(fields.line, fields.path("id"), "missing", "a button has an id", example)
            return nil
        }
        guard let id = fields.text("id", "an id", where: { !$0.isEmpty }) else { return nil }
        return ActionCategory.Action(id: id, isForeground: flag("foreground", fields))
    }

    /// Reads the names of layouts: categories that select a layout in the app and have no buttons.
    private static func layouts(_ app: FieldReader) -> [String] {
        guard let entry = app.entry("layouts") else { return [] }
        let key = app.path("layouts")
        guard case .sequence(let elements) = entry.value.value, !elements.isEmpty else {
            app.problems.add(entry.line, key, "wrong_type", "a list of names is expected here", layoutExample)
            return []
        }
        var layouts: [String] = []
        for element in elements {
            guard let name = element.text, !name.isEmpty else {
                app.problems.add(element.line, key, "wrong_type", "a layout is a name", layoutExample)
                continue
            }
            if layouts.contains(name) { app.problems.add(element.line, key, "invalid_value", "\(name) is named twice") }
            layouts.append(name)
        }
        return layouts
    }

    private static let layoutExample = "write it like layouts: [BANNER, COUPON]"

    // MARK: - Variables

    private static func variables(_ fields: FieldReader) -> [AppVariable] {
        fields.entries.compactMap { entry in
            let reserved = ["aps", "fanfare", "from", "message_type"].contains(entry.key)
            if entry.key.isEmpty || reserved || entry.key.hasPrefix("google.") || entry.key.hasPrefix("gcm.") {
                let detail = "\(entry.key) is kept for the providers or for fanfare"
                fields.problems.add(entry.line, fields.path(entry.key), "invalid_name", detail)
                return nil
            }
            var variable = AppVariable(name: entry.key)
            // `NAME:` alone declares the variable without any demand.
            if case .null = entry.value.value { return variable }
            guard let block = FieldReader(entry.value, key: fields.path(entry.key), problems: fields.problems) else {
                return nil
            }
            block.refuseUnknown(known: ["required", "default"])
            variable.isRequired = flag("required", block)
            variable.standard = block.text("default", "a text without templates") {
                !$0.isEmpty && !$0.contains("{{") && !$0.contains("{%")
            }
            return variable
        }
    }

    // MARK: - Names

    private static func payloadNames(_ fields: FieldReader) -> PayloadNames {
        let members = PayloadNames.Member.allCases
        fields.refuseUnknown(known: members.map(\.rawValue))
        var names = PayloadNames()
        for member in members {
            let expected = "a name of 1 to 64 letters, digits and . _ - that neither providers nor fanfare have"
            guard let name = fields.text(member.rawValue, expected, where: PayloadNames.isName) else { continue }
            if let other = names.names.first(where: { $0.value == name })?.key {
                fields.problems.add(
                    fields.entry(member.rawValue)?.line ?? fields.line,
                    fields.path(member.rawValue),
                    "invalid_value",
                    "\(other.rawValue) has this name already"
                )
            }
            names.names[member] = name
        }
        return names
    }

    private static func flag(_ name: String, _ fields: FieldReader) -> Bool {
        fields.text(name, "true or false", where: { ["true", "false"].contains($0) }) == "true"
    }
}
