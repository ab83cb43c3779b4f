/// Suggests the name that was probably meant.
package enum NearestName {
    /// Returns the name closest to a misspelt one, if it is close enough to have been meant.
    package static func to(_ misspelt: String, among names: [String]) -> String? {
        let limit = max(2, misspelt.count / 3)
        let nearest = names.map { ($0, distance(Array(misspelt.utf8), Array($0.utf8))) }.min { $0.1 < $1.1 }
        guard let (name, distance) = nearest, distance <= limit else { return nil }
        return name
    }

    /// Returns `did you mean …?`, or all names when none is close and they are few.
    static func hint(_ misspelt: String, among names: [String]) -> String? {
        if let name = to(misspelt, among: names) { return "did you mean \(name)?" }
        return names.count <= 12 ? "known here: \(names.joined(separator: ", "))" : nil
    }

    /// Returns the optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbors.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (row, byte) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var best = min(last[column + 1] + 1, current[column] + 1, last[column] + (byte == other ? 0 : 1))
                if row > 0, column > 0, byte == right[column - 1], left[row - 1] == other {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
