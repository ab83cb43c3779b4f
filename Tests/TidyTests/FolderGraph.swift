/// The folders of one target, and which of them mention types of which.
struct FolderGraph: Sendable {
    /// A folder that mentions a type of another one; one mention stands for all.
    struct Edge: CustomStringConvertible, Sendable {
        let from: String
        let to: String
        let mention: TypeMentions.Mention

        var description: String { "\(from) → \(to): \(mention.file) mentions \(mention.type) of \(mention.declared)" }
    }

    let target: String
    /// The folders at the first level below the target; `.` is the target's own, with the files directly in it.
    let folders: [String]
    /// The edges by the folder that mentions, in the order of the folders' names.
    let edges: [String: [Edge]]

    /// The graphs of all targets with Swift files, in the order of the tiers.
    static let all = Result {
        let files = try SourceTree.repository.get().files.filter { $0.top == "Sources" }
        return House.targets.map { FolderGraph(target: $0, files: files) }.filter { !$0.folders.isEmpty }
    }

    /// Reads the files of a target; other files are left out.
    init(target: String, files: [SourceFile]) {
        let own = files.filter { $0.top == "Sources" && $0.target == target && $0.path.hasSuffix(".swift") }
        var found: [String: [String: Edge]] = [:]
        for mention in TypeMentions(target: target, files: own).mentions.sorted() {
            let (from, to) = (Self.folder(mention.file), Self.folder(mention.declared))
            guard from != to, found[from]?[to] == nil else { continue }
            found[from, default: [:]][to] = Edge(from: from, to: to, mention: mention)
        }
        self.target = target
        folders = Set(own.map { Self.folder($0.path) }).sorted()
        edges = found.mapValues { $0.values.sorted { $0.to < $1.to } }
    }

    private static func folder(_ path: String) -> String {
        let parts = path.split(separator: "/")
        return parts.count > 3 ? String(parts[2]) : "."
    }

    /// The shortest cycles; those that share a folder with a shorter one are left out.
    var cycles: [[Edge]] {
        var found: [[Edge]] = []
        for cycle in folders.compactMap({ cycle(through: $0) }).sorted(by: { $0.count < $1.count }) {
            let known = Set(found.joined().map(\.from))
            if cycle.allSatisfy({ !known.contains($0.from) }) { found.append(cycle) }
        }
        return found
    }

    /// Returns the shortest way from a folder back to it.
    private func cycle(through start: String) -> [Edge]? {
        var ways: [String: [Edge]] = [:]
        var queue = [start]
        while !queue.isEmpty {
            let folder = queue.removeFirst()
            for edge in edges[folder] ?? [] where ways[edge.to] == nil {
                ways[edge.to] = (ways[folder] ?? []) + [edge]
                if edge.to == start { return ways[start] }
                queue.append(edge.to)
            }
        }
        return nil
    }
}
