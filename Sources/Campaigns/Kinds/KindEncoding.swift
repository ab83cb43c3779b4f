extension RichReference {
    var encoded: JSONValue {
        .object(["type": .string(type), "id": .string(id), "message": message.map(JSONValue.string)])
    }
}

extension Announcement {
    /// The block in the contract's form, without fields that are not given.
    public var encoded: JSONValue {
        .object([
            "format": .string(format.rawValue),
            "title": title.map(JSONValue.string),
            "body": .string(body),
            "action_label": actionLabel.map(JSONValue.string),
            "action_url": actionURL.map(JSONValue.string),
            "exit_label": exitLabel.map(JSONValue.string),
        ])
    }
}

extension Poll {
    /// The block in the contract's form, without fields that are not given.
    public var encoded: JSONValue {
        .object([
            "title": title.map(JSONValue.string),
            "body": body.map(JSONValue.string),
            "action_label": actionLabel.map(JSONValue.string),
            "exit_label": exitLabel.map(JSONValue.string),
            "questions": .array(questions.map(\.encoded)),
        ])
    }
}

extension Poll.Question {
    fileprivate var encoded: JSONValue {
        .object([
            "id": .string(id),
            "title": .string(title),
            "select": select == .one ? nil : .string(select.rawValue),
            "choices": .array(
                choices.map {
                    .object([
                        "id": .string($0.id), "title": .string($0.title), "default": $0.isDefault ? true : nil,
                    ])
                }
            ),
        ])
    }
}

extension DataPush {
    var encoded: JSONValue {
        .object([
            "encoding": .string(encoding.rawValue),
            "body": .string(body),
            "category": category.map(JSONValue.string),
        ])
    }
}
