extension InAppMessage {
    /// The message in the contract's form, without members that have their default value.
    public var encoded: JSONValue {
        .object([
            "type": .string(layout.rawValue),
            "header": header.map(JSONValue.string),
            "message": message.map(JSONValue.string),
            "image_url": imageURL.map(JSONValue.string),
            "image_only": isImageOnly ? true : nil,
            "position": position.map { .string($0.rawValue) },
            "orientation": orientation.map { .string($0.rawValue) },
            "duration": duration.map(JSONValue.number),
            "buttons": buttons.isEmpty ? nil : .array(buttons.map(\.encoded)),
            "assets": assets.isEmpty ? nil : .array(assets.map(JSONValue.string)),
            "extras": extras.isEmpty ? nil : .object(extras),
        ])
    }
}

extension InAppMessage.Button {
    fileprivate var encoded: JSONValue {
        .object(["id": .string(id), "label": .string(label), "url": url.map(JSONValue.string)])
    }
}

extension InAppDelivery {
    /// The delivery in the contract's form, without members that have their default value.
    public var encoded: JSONValue {
        .object([
            "triggers": .array(triggers.map(\.encoded)),
            "priority": priority == 0 ? nil : .number(JSONNumber(priority)),
            "starts_at": startsAt.map { .string($0.rfc3339) },
            "ends_at": endsAt.map { .string($0.rfc3339) },
            "delay": delay.map(JSONValue.number),
            "timeout": timeout.map(JSONValue.number),
            "repeat_after": repeatAfter.map { .number(JSONNumber($0)) },
        ])
    }
}

extension InAppTrigger {
    fileprivate var encoded: JSONValue {
        .object([
            "on": .string(event.rawValue),
            "name": name.map(JSONValue.string),
            "where": filters.isEmpty ? nil : .array(filters.map(\.encoded)),
        ])
    }
}

extension InAppFilter {
    fileprivate var encoded: JSONValue {
        .object(["property": .string(property), "op": .string(comparison.rawValue), "value": value])
    }
}
