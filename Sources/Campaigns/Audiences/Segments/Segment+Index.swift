extension Segment {
    /// The part of the expression that the registry's index can answer; nil if a device may match without any term that
    /// the index has.
    ///
    /// Every device that matches belongs to it. It has others too: a negation, the order of versions and numbers, and
    /// whatever stands beside an indexed term in a conjunction are left to the expression itself.
    public var indexed: IndexExpression? { root.indexed(isNegated: false, questions) }

    /// Returns the text of a part of ``indexed`` for people.
    public func text(of part: IndexExpression) -> String { part.text(questions.map(\.text)) }
}

extension SegmentNode {
    /// The devices of an index that contain those of the node, or of its negation; nil if no index has them.
    fileprivate func indexed(isNegated: Bool, _ questions: [TrackedQuestion]) -> IndexExpression? {
        switch self {
        case .term(let term): return isNegated ? nil : term.indexed(questions)
        case .not(let inner): return inner.indexed(isNegated: !isNegated, questions)
        case .all(let parts):
            return isNegated ? Self.any(parts, isNegated, questions) : Self.all(parts, isNegated, questions)
        case .any(let parts):
            return isNegated ? Self.all(parts, isNegated, questions) : Self.any(parts, isNegated, questions)
        }
    }

    /// One indexed part is enough for a conjunction.
    private static func all(
        _ parts: [SegmentNode],
        _ isNegated: Bool,
        _ questions: [TrackedQuestion]
    ) -> IndexExpression? {
        let indexed = parts.compactMap { $0.indexed(isNegated: isNegated, questions) }
        return indexed.count > 1 ? .all(indexed) : indexed.first
    }

    /// A disjunction needs all its parts.
    private static func any(
        _ parts: [SegmentNode],
        _ isNegated: Bool,
        _ questions: [TrackedQuestion]
    ) -> IndexExpression? {
        let indexed = parts.compactMap { $0.indexed(isNegated: isNegated, questions) }
        guard indexed.count == parts.count else { return nil }
        return indexed.count > 1 ? .any(indexed) : indexed.first
    }
}

extension SegmentTerm {
    fileprivate func indexed(_ questions: [TrackedQuestion]) -> IndexExpression? {
        let none = EmptyCollection<UInt8>()
        switch self {
        case .tag(let tag): return .term(IndexTerm(.tag, none, tag.utf8, shown: "tag " + text(isNegated: false)))
        case .group(let field, let value):
            let kind: IndexTerm.Kind =
                switch field {
                case .provider: .provider
                case .environment: .environment
                case .timeZone: .timeZone
                }
            return .term(IndexTerm(kind, none, value.utf8, shown: text(isNegated: false)))
        case .locale(let range): return .term(IndexTerm(.locale, none, range.utf8, shown: text(isNegated: false)))
        case .permission(let value):
            return .term(IndexTerm(.permission, none, value.rawValue.utf8, shown: text(isNegated: false)))
        case .appVersion(.equal, let version):
            return .term(IndexTerm(.appVersion, none, version.utf8, shown: text(isNegated: false)))
        case .appVersion: return nil
        case .registeredAt(let comparison, let instant): return periods(comparison, instant.milliseconds)
        case .attribute(let name, let comparison, let literal): return attribute(name, comparison, literal)
        case .tracked(let question): return questions.firstIndex(of: question).map { .question($0) }
        }
    }

    /// The devices with an attribute of this name, or with this value where one is asked for.
    private func attribute(
        _ name: String,
        _ comparison: SegmentComparison,
        _ literal: SegmentLiteral
    ) -> IndexExpression {
        let value: [UInt8]? =
            switch literal {
            case .text(let text): IndexTerm.spelling(of: Array(text.utf8))
            case .number(let number): Array(number.normalized.text.utf8)
            case .bool(let flag): Array((flag ? "true" : "false").utf8)
            case .version: nil
            }
        guard comparison == .equal, let value else {
            let shown = "attribute " + SegmentWord.attribute(name)
            return .term(IndexTerm(.attribute, Array(name.utf8), EmptyCollection<UInt8>(), shown: shown))
        }
        return .term(IndexTerm(.value, Array(name.utf8), value, shown: text(isNegated: false)))
    }

    /// The devices that registered in one of the periods that cover those asked for.
    private func periods(_ comparison: SegmentComparison, _ milliseconds: Int64) -> IndexExpression? {
        let (day, end) = (IndexTerm.day(of: milliseconds), IndexTerm.daysEnd - 1)
        let days: (first: Int64, last: Int64)
        switch comparison {
        case .less, .lessOrEqual: days = (0, day)
        case .equal: days = (day, day)
        case .greater, .greaterOrEqual: days = (day, end)
        case .notEqual: return nil
        }
        let periods = IndexTerm.periods(from: days.first, through: days.last).map { period in
            let bytes = IndexTerm.period(level: period.level, period.number)
            let shown = "registered in period \(period.level).\(period.number)"
            return IndexExpression.term(IndexTerm(.period, EmptyCollection<UInt8>(), bytes, shown: shown))
        }
        return periods.count == 1 ? periods.first : .any(periods)
    }
}
