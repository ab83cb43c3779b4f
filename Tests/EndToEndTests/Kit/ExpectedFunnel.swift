import Campaigns
import Testing

/// The expected number of devices per step, counted independently of the product.
struct ExpectedFunnel {
    private static let surfaces = ["system", "in_app", "content"]
    private static let steps = ["received", "displayed", "opened", "actioned", "exited", "dropped"]

    private var devices: [String: Int] = [:]
    private var details: [String: [String: Int]] = [:]

    /// Counts a device's first time at a step; `detail` is a button or a reason.
    mutating func add(_ surface: String, _ step: String, _ detail: String? = nil) {
        devices["\(surface)/\(step)", default: 0] += 1
        if let detail { details["\(surface)/\(step)", default: [:]][detail, default: 0] += 1 }
    }

    /// Counts another detail of a device that has taken the step before: a second button or reason.
    mutating func addDetail(_ surface: String, _ step: String, _ detail: String) {
        details["\(surface)/\(step)", default: [:]][detail, default: 0] += 1
    }

    /// Returns the differences from a report, over every surface, step, button and reason.
    func differences(from report: JSONValue) -> [String] {
        Self.surfaces.flatMap { surface in
            Self.steps.flatMap { step -> [String] in
                let (key, said) = ("\(surface)/\(step)", report["surfaces"]?[surface]?[step])
                let count = said?["devices"]?.integer.map { Int($0) }
                let expected = devices[key] ?? 0
                var found = count == expected ? [] : ["\(key): \(count.map(String.init) ?? "none"), not \(expected)"]
                var words: [String: Int] = [:]
                if case .object(let members)? = said?["actions"] ?? said?["reasons"] {
                    for member in members { words[member.name] = member.value.integer.map { Int($0) } }
                }
                if words != details[key] ?? [:] { found.append("\(key): \(words), not \(details[key] ?? [:])") }
                return found
            }
        }
    }
}
