/// The pictures of the house in `Inside.md`: its targets, and the folders of each.
struct HousePicture {
    private let files: [SourceFile]
    private let graphs: [FolderGraph]

    init(files: [SourceFile], graphs: [FolderGraph]) {
        self.files = files.filter { $0.top == "Sources" && $0.path.hasSuffix(".swift") }
        self.graphs = graphs
    }

    /// Colours on which white text can be read, and which can be seen on light and on dark pages.
    private static let colours = ["#6b6f76", "#2f7d4f", "#8a6d1f", "#b0562a", "#2f6fb0", "#8a4f9e", "#a83a50"]
    /// The widest picture, and the widest row of one target's folders.
    private static let (widthMax, rowMax) = (1100.0, 900.0)

    private static func colour(_ target: String) -> String {
        colours[(House.tiers.firstIndex { $0.targets.contains(target) } ?? 0) % colours.count]
    }

    /// The targets in the rows of their tiers.
    var targets: String {
        var uses: [String: Set<String>] = [:]
        for file in files {
            guard let target = file.target else { continue }
            uses[target, default: []].formUnion(file.imports.map(\.module).filter { $0 != target })
        }
        let names = House.targets
        let edges = Self.reduced(uses.mapValues { $0.filter(names.contains) })
        var (rowOf, labels, next): ([String: Int], [(row: Int, name: String)], Int) = ([:], [], 0)
        for tier in House.tiers {
            labels.append((next, tier.name))
            for name in tier.targets {
                let above = (uses[name] ?? []).filter(tier.targets.contains).compactMap { rowOf[$0] }.max()
                rowOf[name] = max(next, (above ?? -1) + 1)
            }
            next = (rowOf.values.max() ?? 0) + 1
        }
        let drawing = RowDrawing(names, rowOf: rowOf, uses: edges)
        let body = labels.map { label in
            "<text x=\"8\" y=\"\(Int(drawing.top(row: label.row)) + 36)\" class=\"label\">\(label.name)</text>"
        }
        return Self.document(
            title: "The targets of Fanfare: arrows lead to what is imported",
            body: body + [drawing.svg(x: 120, y: 20, colour: Self.colour)],
            width: drawing.width + 140,
            height: drawing.height + 40
        )
    }

    /// The folders of each target, as many targets side by side as fit.
    var folders: String {
        var (parts, width): ([String], Double) = ([], 0)
        var (left, top, bottom) = (12.0, 12.0, 12.0)
        for graph in graphs where graph.folders.count > 1 {
            let drawing = Self.drawing(graph)
            if left > 12, left + drawing.width > Self.widthMax { (left, top) = (12, bottom + 28) }
            parts.append("<text x=\"\(Int(left))\" y=\"\(Int(top) + 14)\" class=\"label\">\(graph.target)</text>")
            parts.append(drawing.svg(x: left, y: top + 26) { _ in Self.colour(graph.target) })
            bottom = max(bottom, top + 26 + drawing.height)
            left += max(drawing.width, RowDrawing.width(of: graph.target)) + 48
            width = max(width, left - 48)
        }
        return Self.document(
            title: "The folders of each target: arrows lead to what is used",
            body: parts,
            width: width + 12,
            height: bottom + 12
        )
    }

    private static func drawing(_ graph: FolderGraph) -> RowDrawing {
        let (rowOf, ordered) = rows(graph)
        let cyclic = graph.edges.mapValues { edges in
            edges.filter { (rowOf[$0.to] ?? 0) >= (rowOf[$0.from] ?? 0) }.map(\.to)
        }
        return RowDrawing(graph.folders, rowOf: rowOf, uses: reduced(ordered).merging(cyclic) { $0 + $1 })
    }

    /// The row of each folder, and the uses that lead up; those that close a cycle are left out.
    private static func rows(_ graph: FolderGraph) -> (rowOf: [String: Int], ordered: [String: Set<String>]) {
        var ordered: [String: Set<String>] = [:]
        var done: [String] = []
        func visit(_ folder: String, _ way: [String]) {
            guard !done.contains(folder) else { return }
            for edge in graph.edges[folder] ?? [] where edge.to != folder && !way.contains(edge.to) {
                visit(edge.to, way + [folder])
                ordered[folder, default: []].insert(edge.to)
            }
            if !done.contains(folder) { done.append(folder) }
        }
        for folder in graph.folders { visit(folder, []) }
        var (rowOf, widths): ([String: Int], [Double]) = ([:], [])
        for folder in done {
            var row = ((ordered[folder] ?? []).compactMap { rowOf[$0] }.max() ?? -1) + 1
            while row < widths.count, widths[row] + RowDrawing.width(of: folder) > rowMax { row += 1 }
            while widths.count <= row { widths.append(0) }
            widths[row] += RowDrawing.width(of: folder) + 20
            rowOf[folder] = row
        }
        return (rowOf, ordered)
    }

    /// Leaves out uses that follow from others.
    private static func reduced(_ uses: [String: Set<String>]) -> [String: [String]] {
        func reach(_ name: String, _ found: inout Set<String>) {
            for used in uses[name] ?? [] where found.insert(used).inserted { reach(used, &found) }
        }
        return uses.mapValues { used in
            used.filter { name in
                !used.contains { other in
                    var found: Set<String> = []
                    reach(other, &found)
                    return other != name && found.contains(name)
                }
            }.sorted()
        }
    }

    private static func document(title: String, body: [String], width: Double, height: Double) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="\(Int(width.rounded()))" height="\(Int(height.rounded()))" \
        viewBox="0 0 \(Int(width.rounded())) \(Int(height.rounded()))" role="img">
        <title>\(title)</title>
        <!-- Drawn by Tests/TidyTests/HousePictureTests.swift; FANFARE_DRAW=yes draws it anew. -->
        <defs><marker id="tip" viewBox="0 0 6 6" refX="3" refY="3" markerWidth="6" markerHeight="6" orient="auto">\
        <path d="M0 0 L6 3 L0 6 Z" fill="#868c96"/></marker></defs>
        <style>
        text { font: 12px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace }
        .box { fill: #fff; text-anchor: middle }
        .label { fill: #868c96; font-weight: bold }
        .uses { fill: none; stroke: #868c96; stroke-width: 1.2; marker-end: url(#tip) }
        .cycle { fill: none; stroke: #d33c3c; stroke-width: 1.5; stroke-dasharray: 4 3 }
        </style>
        \(body.joined(separator: "\n"))
        </svg>

        """
    }
}
