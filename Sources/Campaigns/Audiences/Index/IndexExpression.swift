/// The part of an expression that the registry's index can answer: its devices contain every device that matches.
public indirect enum IndexExpression: Hashable, Sendable {
    /// The devices with a trait.
    case term(IndexTerm)
    /// The devices for which the question to tracking data at this index holds.
    case question(Int)
    /// The devices that all parts have.
    case all([IndexExpression])
    /// The devices that any part has.
    case any([IndexExpression])

    /// A term or a question.
    public enum Leaf: Hashable, Sendable {
        /// A term.
        case term(IndexTerm)
        /// The question at an index.
        case question(Int)
    }

    /// A leaf alone.
    public init(_ leaf: Leaf) {
        switch leaf {
        case .term(let term): self = .term(term)
        case .question(let index): self = .question(index)
        }
    }

    /// True if devices must belong to several parts, so that they may be far fewer than those of the smallest part.
    public var hasConjunction: Bool {
        switch self {
        case .term, .question: false
        case .all: true
        case .any(let parts): parts.contains(where: \.hasConjunction)
        }
    }

    /// The terms and questions, each once, in the order of the expression.
    public var leaves: [Leaf] {
        switch self {
        case .term(let term): return [.term(term)]
        case .question(let index): return [.question(index)]
        case .all(let parts), .any(let parts):
            var seen: Set<Leaf> = []
            return parts.flatMap(\.leaves).filter { seen.insert($0).inserted }
        }
    }

    /// The devices of a block; `devices` has those of a leaf, nil for none.
    public func devices(_ devices: (Leaf) -> IndexBlock?) -> IndexBlock? {
        switch self {
        case .term(let term): return devices(.term(term))
        case .question(let index): return devices(.question(index))
        case .all(let parts):
            var common: IndexBlock?
            for part in parts {
                guard let next = part.devices(devices) else { return nil }
                if common == nil { common = next } else { common?.formIntersection(next) }
            }
            return common
        case .any(let parts):
            var union: IndexBlock?
            for part in parts {
                guard let next = part.devices(devices) else { continue }
                if union == nil { union = next } else { union?.formUnion(next) }
            }
            return union
        }
    }

    /// The most devices that the expression can have; `count` has those of a leaf.
    public func most(_ count: (Leaf) -> Int) -> Int {
        switch self {
        case .term(let term): count(.term(term))
        case .question(let index): count(.question(index))
        case .all(let parts): parts.map { $0.most(count) }.min() ?? 0
        case .any(let parts): parts.reduce(0) { $0 + $1.most(count) }
        }
    }

    /// The expression without parts that would cost more rows of the index than they save of the registry.
    ///
    /// Of parts that must all hold, the one with the fewest devices stays. Another stays if it has fewer than half of
    /// the registry, and there is something to save.
    public func pruned(registry: Int64, _ count: (Leaf) -> Int) -> IndexExpression {
        switch self {
        case .term, .question: return self
        case .any(let parts): return .any(parts.map { $0.pruned(registry: registry, count) })
        case .all(let parts):
            let sized = parts.map { part in
                let part = part.pruned(registry: registry, count)
                return (part: part, most: part.most(count))
            }.sorted { $0.most < $1.most }
            guard let first = sized.first else { return self }
            let others = sized.dropFirst().filter { first.most > IndexPlan.few && Int64($0.most) < registry / 2 }
            return others.isEmpty ? first.part : .all([first.part] + others.map(\.part))
        }
    }

    /// The expression for people; `questions` has the text of each question.
    public func text(_ questions: [String]) -> String { text(questions, isOuter: true) }

    private func text(_ questions: [String], isOuter: Bool) -> String {
        switch self {
        case .term(let term): return term.name
        case .question(let index): return questions[index]
        case .all(let parts): return parts.map { $0.text(questions, isOuter: false) }.joined(separator: " && ")
        case .any(let parts):
            let text = parts.map { $0.text(questions, isOuter: false) }.joined(separator: " || ")
            return isOuter ? text : "(\(text))"
        }
    }
}
