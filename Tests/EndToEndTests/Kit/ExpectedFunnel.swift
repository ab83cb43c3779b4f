import Campaigns
import Testing

/// How many devices did what, counted beside the product.
struct ExpectedFunnel {
    private static let surfaces = ["system", "in_app", "content"]
    private static let steps = ["received", "displayed", "opened", "actioned", "exited", "dropped"]

    private var devices: [String: Int] = [:]
    private var details: [String: [String: Int]] = [:]

    /// A device took a step, for the first time; `detail` is a button or a reason.
    mutating func add(_ surface: String, _ step: String, _ detail: String? = nil) {
        devices["\(surface)/\(step)", default: 0] += 1
        if let detail { details["\(surface)/\(step)", default: [:]][detail, default: 0] += 1 }
    }

    /// A device that has taken a step takes it another way, too: with another button, or for another reason.
    mutating func addDetail(_ surface: String, _ step: String, _ detail: String) {
        details["\(surface)/\(step)", default: [:]][detail, default: 0] += 1
    }

    /// Where a report says something else: every surface, step, button and reason is looked at.
    func differences(from report: JSONValue) -> [String] {
        Self.surfaces.flatMap { surface in
            Self.steps.flatMap { step -> [String] in
                let (place, said) = ("\(surface)/\(step)", report["surfaces"]?[surface]?[step])
                let count = said?["devices"]?.integer.map { Int($0) }
                let expected = devices[place] ?? 0
                var found = count == expected ? [] : ["\(place): \(count.map(String.init) ?? "none"), not \(expected)"]
                var words: [String: Int] = [:]
                if case .object(let members)? = said?["actions"] ?? said?["reasons"] {
                    for member in members { words[member.name] = member.value.integer.map { Int($0) } }
                }
                if words != details[place] ?? [:] { found.append("\(place): \(words), not \(details[place] ?? [:])") }
                return found
            }
        }
    }
}
