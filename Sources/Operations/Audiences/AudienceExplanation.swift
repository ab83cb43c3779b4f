package import Campaigns
import Delivery

/// The answer of `audience check --explain`: which indexes find the devices of an audience, and what that reads.
package struct AudienceExplanation: Sendable, Equatable {
    /// The plan.
    package var plan: AudiencePlan
    /// The device numbers of the registry.
    package var registry: Int
    /// The rows that the count has read; nil for an estimate from a sample.
    package var read: AudienceWalk.RowsRead?

    /// An explanation of a walk over a registry whose last device has this number.
    init(_ plan: AudiencePlan, last: Int64, read: AudienceWalk.RowsRead?) {
        self.plan = plan
        registry = Int(last & 0xFFFF_FFFF)
        self.read = read.map {
            AudienceWalk.RowsRead(index: $0.index + plan.rowsRead.index, devices: $0.devices + plan.rowsRead.devices)
        }
    }

    /// About the number of devices that freezing the audience will read.
    private var expected: Int { plan.index?.expected ?? registry }

    /// The member `explain` of the document.
    package var json: JSONValue {
        func number(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }
        var reason = JSONValue.null
        if case .walk(let why) = plan.choice { reason = .string(why.text) }
        return .object([
            "by": plan.index == nil ? "registry" : "index",
            "reason": reason,
            "index": plan.text.map { .string($0) } ?? .null,
            "terms": .array(
                plan.terms.map { term in
                    .object([
                        "term": .string(term.name), "devices": number(term.devices), "used": .bool(term.isUsed),
                    ])
                }
            ),
            "changed": number(plan.changed),
            "registry": number(registry),
            "devices_expected": number(expected),
            "devices_read": read.map { number($0.devices) } ?? .null,
            "index_rows_read": read.map { number($0.index) } ?? .null,
        ])
    }

    /// The explanation for people.
    package var text: String {
        var lines: [String]
        switch plan.choice {
        case .index:
            lines = [
                "found by index: \(plan.text ?? ""); about \(NumberText.grouped(expected)) of "
                    + "\(NumberText.grouped(registry)) devices are read"
            ]
        case .walk(let reason):
            lines = ["the registry is walked whole (\(NumberText.grouped(registry)) devices): \(reason.text)"]
            if let text = plan.text { lines.append("the index has: \(text)") }
        }
        if let read {
            lines.append(
                "read: \(NumberText.grouped(read.devices)) devices, \(NumberText.grouped(read.index)) rows of the index"
            )
        }
        if plan.changed > 0 { lines.append("\(NumberText.grouped(plan.changed)) devices changed and are read, too") }
        if !plan.terms.isEmpty {
            var table = TextTable([("term", .left), ("devices", .right), ("used", .left)])
            for term in plan.terms {
                table.add([term.name, NumberText.grouped(term.devices), term.isUsed ? "yes" : ""])
            }
            lines += ["", table.text]
        }
        return lines.joined(separator: "\n")
    }
}
