public import Campaigns

/// The form in the worker's row and for scripts; members may be missing, and unknown ones are passed over.
extension ReloadAnswer {
    /// Reads an answer; nil if it names no order or instant.
    public init?(_ json: JSONValue) {
        guard let order = json["order"]?.integer, let at = json.instant("at") else { return nil }
        self.init(to: order, at: at, unchanged: Int(json["unchanged"]?.integer ?? 0), isStart: json["at_start"] == true)
        new = json.texts("new")
        changed = json.texts("changed")
        gone = json.texts("gone")
        needRestart = json.texts("need_restart")
        refuse((json["refused"]?.array ?? []).compactMap { Refusal($0) })
    }

    /// The answer.
    public var json: JSONValue { .object([JSONMember("order", .number(JSONNumber(order)))] + members) }

    /// The members of the answer without its order.
    public var members: [JSONMember] {
        func texts(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
        return [
            JSONMember("at", .string(at.rfc3339)), JSONMember("at_start", .bool(isStart)),
            JSONMember("new", texts(new)), JSONMember("changed", texts(changed)),
            JSONMember("unchanged", .number(JSONNumber(unchanged))), JSONMember("gone", texts(gone)),
            JSONMember("need_restart", texts(needRestart)), JSONMember("refused", .array(refusals.map(\.json))),
        ]
    }
}

extension ReloadAnswer.Refusal {
    fileprivate init?(_ json: JSONValue) {
        guard let reason = json["reason"]?.string else { return nil }
        self.init(key: json["key"]?.string ?? "", reason: reason, fix: json["fix"]?.string)
    }

    fileprivate var json: JSONValue {
        .object([
            "app": app.map(JSONValue.string) ?? .null, "key": .string(key), "reason": .string(reason),
            "fix": fix.map(JSONValue.string) ?? .null,
        ])
    }
}

extension JSONValue {
    fileprivate func texts(_ name: String) -> [String] { (self[name]?.array ?? []).compactMap(\.string) }
}
