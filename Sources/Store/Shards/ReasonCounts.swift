/// Devices by reason as text: one line each, with the number first.
enum ReasonCounts {
    static func text(_ reasons: [String: Int]) -> String? {
        guard !reasons.isEmpty else { return nil }
        return reasons.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: "\n")
    }

    static func add(_ text: String, times: Int, to reasons: inout [String: Int]) {
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let count = Int(parts[0]) else { continue }
            reasons[String(parts[1]), default: 0] += count * times
        }
    }

    /// Returns the devices of rows with the same text, of which only this many are left.
    static func counts(_ text: String?, times: Int = 1, of devices: Int) -> [String: Int] {
        var (all, left): ([String: Int], Int) = ([:], devices)
        if let text { add(text, times: times, to: &all) }
        return all.sorted { $0.key < $1.key }.reduce(into: [:]) { kept, entry in
            let count = min(entry.value, left)
            left -= count
            if count > 0 { kept[entry.key] = count }
        }
    }
}
