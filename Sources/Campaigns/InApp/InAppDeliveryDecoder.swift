/// A decoder for `delivery.in_app`.
struct InAppDeliveryDecoder {
    private let reader: ObjectReader
    private let log: ProblemLog

    static let (nameBytesMax, propertyBytesMax, valueBytesMax) = (256, 128, 256)

    /// Returns the delivery; nil if the value is not an object or has no trigger.
    static func delivery(_ value: JSONValue, at pointer: JSONPointer, _ log: ProblemLog) -> InAppDelivery? {
        guard let reader = ObjectReader(value, at: pointer, JobFields.inAppDelivery, log) else { return nil }
        return InAppDeliveryDecoder(reader: reader, log: log).delivery()
    }

    private init(reader: ObjectReader, log: ProblemLog) {
        self.reader = reader
        self.log = log
    }

    private func delivery() -> InAppDelivery? {
        reader.require("triggers", fix: "say when it is shown, for example [{\"on\": \"session_start\"}]")
        var delivery = InAppDelivery(triggers: triggers())
        let most = InAppDelivery.priorityMax
        delivery.priority = Int(reader.integer("priority", in: -most...most) ?? 0)
        delivery.startsAt = reader.instant("starts_at")
        delivery.endsAt = reader.instant("ends_at")
        let delay = reader.seconds("delay", from: 0, to: InAppDelivery.secondsMax)
        delivery.delay = delay?.double == 0 ? nil : delay
        delivery.timeout = reader.seconds("timeout", from: 0, to: InAppDelivery.secondsMax)
        delivery.repeatAfter = reader.integer("repeat_after", in: 0...InAppDelivery.repeatAfterMax).map(Int.init)
        checkTimes(delivery)
        return delivery
    }

    private func checkTimes(_ delivery: InAppDelivery) {
        if let start = delivery.startsAt, let end = delivery.endsAt, end <= start {
            log.refuse(
                .conflict,
                at: location("ends_at"),
                "the message would end at \(end.rfc3339), before it begins at \(start.rfc3339)",
                fix: "give an ends_at after starts_at"
            )
        }
        if let delay = delivery.delay?.double, let timeout = delivery.timeout?.double, timeout <= delay {
            log.refuse(
                .conflict,
                at: location("timeout"),
                "the time-out is over before the delay: the message would never be shown",
                fix: "give a timeout above delay, or leave it out"
            )
        }
    }

    // MARK: - Triggers

    private func triggers() -> [InAppTrigger] {
        guard let elements = reader.array("triggers", countMax: InAppDelivery.triggersMax) else { return [] }
        if elements.isEmpty {
            log.refuse(.empty, at: location("triggers"), "triggers is empty", fix: "name at least one")
        }
        return elements.enumerated().compactMap { trigger($1, at: location("triggers").appending($0)) }
    }

    private func trigger(_ value: JSONValue, at pointer: JSONPointer) -> InAppTrigger? {
        guard let fields = ObjectReader(value, at: pointer, JobFields.inAppTrigger, log) else { return nil }
        fields.require("on")
        let event = fields.choice("on", of: InAppTrigger.Event.self)
        let name = fields.text("name", bytesMax: Self.nameBytesMax)
        let filters = (fields.array("where", countMax: InAppDelivery.filtersMax) ?? []).enumerated().compactMap {
            filter($1, at: pointer.appending("where").appending($0))
        }
        guard let event else { return nil }
        if event.needsName { fields.require("name", fix: "name is \(event.nameMeans ?? "")") }
        if event.nameMeans == nil, fields.has("name") {
            let detail = "\(event.rawValue) has no name"
            log.refuse(.conflict, at: pointer.appending("name"), detail, fix: "leave it out")
        }
        if !event.hasProperties, fields.isGiven("where") {
            let detail = "\(event.rawValue) has no properties to look at"
            log.refuse(.conflict, at: pointer.appending("where"), detail, fix: "leave where out")
        }
        return InAppTrigger(event, name: name, filters: filters)
    }

    private func filter(_ value: JSONValue, at pointer: JSONPointer) -> InAppFilter? {
        guard let fields = ObjectReader(value, at: pointer, JobFields.inAppFilter, log) else { return nil }
        fields.require("property")
        fields.require("op", fix: "give equal, not, greater, less, regex or exists")
        let property = fields.text("property", bytesMax: Self.propertyBytesMax)
        guard let comparison = fields.choice("op", of: InAppFilter.Comparison.self) else { return nil }
        if comparison != .exists { fields.require("value") }
        guard let value = fields.has("value") ? fields.value("value") : true, let property else { return nil }
        guard isFine(value, for: comparison, at: pointer.appending("value")) else { return nil }
        return InAppFilter(property, comparison, value)
    }

    private func isFine(_ value: JSONValue, for comparison: InAppFilter.Comparison, at location: JSONPointer) -> Bool {
        let wanted: String
        switch (comparison, value) {
        case (.equal, .string(let text)), (.not, .string(let text)), (.regex, .string(let text)):
            guard text.utf8.count <= Self.valueBytesMax else {
                log.refuse(.length, at: location, "value has at most \(Self.valueBytesMax) bytes")
                return false
            }
            guard comparison == .regex, let detail = RegularExpressionForm.problem(of: text) else { return true }
            log.refuse(.format, at: location, "value is not a regular expression: \(detail)")
            return false
        case (.equal, .number), (.equal, .bool), (.not, .number), (.not, .bool): return true
        case (.greater, .number), (.less, .number), (.exists, .bool): return true
        case (.equal, _), (.not, _): wanted = "a string, a number, true or false"
        case (.greater, _), (.less, _): wanted = "a number"
        case (.regex, _): wanted = "a string"
        case (.exists, _): wanted = "true or false"
        }
        log.refuse(.type, at: location, "value must be \(wanted) with \(comparison.rawValue), not \(value.typeName)")
        return false
    }

    private func location(_ name: String) -> JSONPointer { reader.pointer.appending(name) }
}

/// The coarse syntax check of a regular expression; the phone's own engine has the last word.
enum RegularExpressionForm {
    /// Returns a problem for people; nil if brackets and escapes are complete.
    static func problem(of text: String) -> String? {
        if text.isEmpty { return "it is empty" }
        var (groups, isEscaped) = (0, false)
        var setBegan: Int?
        for (index, byte) in text.utf8.enumerated() {
            if isEscaped {
                isEscaped = false
                continue
            }
            switch byte {
            case UInt8(ascii: "\\"): isEscaped = true
            case UInt8(ascii: "[") where setBegan == nil: setBegan = index
            // The first character of a set, also after ^, never ends it.
            case UInt8(ascii: "]"):
                guard let began = setBegan else { continue }
                let isFirst = index == began + 1
                let isBehindNot = index == began + 2 && Array(text.utf8)[began + 1] == UInt8(ascii: "^")
                if !isFirst && !isBehindNot { setBegan = nil }
            case UInt8(ascii: "(") where setBegan == nil: groups += 1
            case UInt8(ascii: ")") where setBegan == nil:
                groups -= 1
                if groups < 0 { return "a ) has no (" }
            default: break
            }
        }
        if isEscaped { return "it ends with a \\" }
        if setBegan != nil { return "a [ has no ]" }
        return groups > 0 ? "a ( has no )" : nil
    }
}
