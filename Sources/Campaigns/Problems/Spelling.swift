/// Suggestions for misspelt words.
public enum Spelling {
    /// Returns the nearest candidate; nil unless at most a third of the letters, and at most three, differ.
    public static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        let letters = folded(word)
        // Names of the contract are short; the limit bounds the cost of a stranger's long name.
        guard letters.count <= 64 else { return nil }
        let allowed = min(3, max(1, letters.count / 3))
        var best: (distance: Int, word: String)?
        for candidate in candidates {
            let distance = distance(letters, folded(candidate), atMost: allowed)
            if distance <= allowed, distance < best?.distance ?? .max { best = (distance, candidate) }
        }
        return best?.word
    }

    /// Returns the word in lower case without separators: `timeZone`, `Time-Zone` and `time_zone` are the same.
    private static func folded(_ word: String) -> [UInt8] {
        word.utf8.prefix(65).compactMap { byte in
            switch byte {
            case 65...90: byte + 32
            case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: " "), UInt8(ascii: "."): nil
            default: byte
            }
        }
    }

    /// Returns the number of insertions, deletions, replacements and swaps of neighbors (optimal string alignment).
    private static func distance(_ left: [UInt8], _ right: [UInt8], atMost allowed: Int) -> Int {
        guard abs(left.count - right.count) <= allowed else { return allowed + 1 }
        var older: [Int] = []
        var previous = Array(0...right.count)
        for row in 0..<left.count {
            var current = [row + 1]
            for column in 0..<right.count {
                let replaced = previous[column] + (left[row] == right[column] ? 0 : 1)
                var cost = min(replaced, previous[column + 1] + 1, current[column] + 1)
                let isSwap =
                    row > 0 && column > 0 && left[row] == right[column - 1] && left[row - 1] == right[column]
                if isSwap { cost = min(cost, older[column - 1] + 1) }
                current.append(cost)
            }
            older = previous
            previous = current
        }
        return previous[right.count]
    }
}
