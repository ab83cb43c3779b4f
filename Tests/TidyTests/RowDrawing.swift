/// Boxes in rows with arrows between them, as part of an SVG: the arrows lead up, to what is used.
///
/// The same boxes give the same text on every machine.
struct RowDrawing {
    /// A box, or a point at which an arrow passes a row.
    private struct Spot {
        let name: String?
        let row: Int
        var x = 0.0
        var up: [Int] = []
        var down: [Int] = []

        var width: Double { name.map { RowDrawing.width(of: $0) } ?? 6 }
        var isAlone: Bool { up.isEmpty && down.isEmpty }
    }

    static let boxHeight = 24.0
    private static let rowHeight = 62.0
    private static let gap = 14.0

    private var spots: [Spot] = []
    private var rows: [[Int]] = []
    /// The spots of each arrow, from the box that uses to the one that is used.
    private var arrows: [(spots: [Int], closesCycle: Bool)] = []
    private(set) var width = 0.0

    var height: Double { Double(max(rows.count, 1) - 1) * Self.rowHeight + Self.boxHeight }

    /// Returns the width of the box of a name.
    static func width(of name: String) -> Double { Double(name.count) * 7.2 + 16 }

    /// Lays boxes out.
    ///
    /// - Parameters:
    ///   - rowOf: The row of each name, from 0; a name stands in a lower row than everything that it uses.
    ///   - uses: The names that a name uses; those in a lower row, or in the same one, close a cycle.
    init(_ names: [String], rowOf: [String: Int], uses: [String: [String]]) {
        rows = Array(repeating: [], count: (rowOf.values.max() ?? 0) + 1)
        var spotOf: [String: Int] = [:]
        for name in names { spotOf[name] = add(Spot(name: name, row: rowOf[name] ?? 0)) }
        for name in names {
            for used in uses[name] ?? [] {
                guard let from = spotOf[name], let to = spotOf[used] else { continue }
                connect(from, to)
            }
        }
        sort()
        place()
    }

    private mutating func add(_ spot: Spot) -> Int {
        spots.append(spot)
        rows[spot.row].append(spots.count - 1)
        return spots.count - 1
    }

    private mutating func connect(_ from: Int, _ to: Int) {
        let (low, high) = (spots[from].row, spots[to].row)
        guard low > high else { return arrows.append(([from, to], true)) }
        var way = [from]
        for row in stride(from: low - 1, to: high, by: -1) { way.append(add(Spot(name: nil, row: row))) }
        way.append(to)
        for (lower, upper) in zip(way, way.dropFirst()) {
            spots[lower].up.append(upper)
            spots[upper].down.append(lower)
        }
        arrows.append((way, false))
    }

    // MARK: - Places

    /// Orders each row by the middle of its neighbours' places, so that few arrows cross.
    private mutating func sort() {
        for round in 0..<24 {
            var fractions = [Double](repeating: 0, count: spots.count)
            for row in rows {
                for (index, spot) in row.enumerated() { fractions[spot] = Double(index) / Double(row.count) }
            }
            let isDown = round.isMultiple(of: 2)
            for row in isDown ? Array(rows.indices) : rows.indices.reversed() {
                let weights = rows[row].map { spot -> Double in
                    let near = isDown ? spots[spot].up : spots[spot].down
                    guard !spots[spot].isAlone else { return 2 }
                    return near.isEmpty ? fractions[spot] : near.reduce(0) { $0 + fractions[$1] } / Double(near.count)
                }
                let order = rows[row].indices.sorted { (weights[$0], $0) < (weights[$1], $1) }
                rows[row] = order.map { rows[row][$0] }
                for (index, spot) in rows[row].enumerated() {
                    fractions[spot] = Double(index) / Double(rows[row].count)
                }
            }
        }
    }

    private mutating func place() {
        for row in rows {
            var left = 0.0
            for spot in row {
                spots[spot].x = left + spots[spot].width / 2
                left += spots[spot].width + Self.gap
            }
        }
        for round in 0..<24 {
            for row in round.isMultiple(of: 2) ? Array(rows.indices) : rows.indices.reversed() { straighten(rows[row]) }
        }
        for row in rows {
            for (before, spot) in zip(row, row.dropFirst()) where spots[spot].isAlone {
                spots[spot].x = spots[before].x + (spots[before].width + spots[spot].width) / 2 + Self.gap
            }
        }
        let left = spots.map { $0.x - $0.width / 2 }.min() ?? 0
        for index in spots.indices { spots[index].x -= left }
        width = spots.map { $0.x + $0.width / 2 }.max() ?? 0
    }

    /// Moves the spots of a row towards their neighbours, as far as their order leaves room.
    private mutating func straighten(_ row: [Int]) {
        let wanted = row.map { spot in
            let near = spots[spot].up + spots[spot].down
            return near.isEmpty ? spots[spot].x : near.reduce(0) { $0 + spots[$1].x } / Double(near.count)
        }
        var (fromLeft, fromRight) = (wanted, wanted)
        func distance(_ index: Int) -> Double {
            (spots[row[index]].width + spots[row[index + 1]].width) / 2 + Self.gap
        }
        for index in row.indices.dropFirst() {
            fromLeft[index] = max(wanted[index], fromLeft[index - 1] + distance(index - 1))
        }
        for index in row.indices.dropLast().reversed() {
            fromRight[index] = min(wanted[index], fromRight[index + 1] - distance(index))
        }
        for (index, spot) in row.enumerated() { spots[spot].x = (fromLeft[index] + fromRight[index]) / 2 }
    }

    // MARK: - SVG

    /// Returns the drawing with its upper left corner at a place; `colour` is that of a box.
    func svg(x: Double, y: Double, colour: (String) -> String) -> String {
        let lines = arrows.map { arrow(for: $0, x, y) }
        let boxes = spots.compactMap { spot in
            spot.name.map { name in
                let (left, top) = (x + spot.x - spot.width / 2, y + self.top(spot))
                return """
                    <rect x="\(number(left))" y="\(number(top))" width="\(number(spot.width))" \
                    height="\(number(Self.boxHeight))" rx="4" fill="\(colour(name))"/>
                    <text x="\(number(x + spot.x))" y="\(number(top + 16))" class="box">\(name)</text>
                    """
            }
        }
        return (lines + boxes).joined(separator: "\n")
    }

    /// Returns the upper edge of a row.
    func top(row: Int) -> Double { Double(row) * Self.rowHeight }

    private func top(_ spot: Spot) -> Double { top(row: spot.row) }

    private func arrow(for arrow: (spots: [Int], closesCycle: Bool), _ x: Double, _ y: Double) -> String {
        let way = arrow.spots.map { spots[$0] }
        guard let first = way.first, let last = way.last else { return "" }
        guard !arrow.closesCycle else {
            let (from, to) = (y + top(first) + Self.boxHeight / 2, y + top(last) + Self.boxHeight / 2)
            return """
                <path d="M\(number(x + first.x)) \(number(from)) L\(number(x + last.x)) \(number(to))" class="cycle"/>
                """
        }
        var place = (x: x + first.x + shift(arrow.spots[0], to: arrow.spots[1], up: true), y: y + top(first))
        var path = "M\(number(place.x)) \(number(place.y))"
        for (index, spot) in way.enumerated().dropFirst() {
            let isLast = index == way.count - 1
            let back = isLast ? shift(arrow.spots[index], to: arrow.spots[index - 1], up: false) : 0
            let next = (x: x + spot.x + back, y: y + top(spot) + Self.boxHeight + (isLast ? 4 : 0))
            let middle = (place.y + next.y) / 2
            path += " C\(number(place.x)) \(number(middle)) \(number(next.x)) \(number(middle))"
            path += " \(number(next.x)) \(number(next.y))"
            if !isLast { path += " V\(number(y + top(spot)))" }
            place = (next.x, y + top(spot))
        }
        return "<path d=\"\(path)\" class=\"uses\"/>"
    }

    /// The distance from a box's middle at which an arrow touches it, in the order of the other ends.
    private func shift(_ box: Int, to other: Int, up: Bool) -> Double {
        let ends = (up ? spots[box].up : spots[box].down).sorted { spots[$0].x < spots[$1].x }
        guard ends.count > 1, let index = ends.firstIndex(of: other) else { return 0 }
        let step = min(10, (spots[box].width - 16) / Double(ends.count - 1))
        return (Double(index) - Double(ends.count - 1) / 2) * step
    }

    private func number(_ value: Double) -> String { "\(Int(value.rounded()))" }
}
