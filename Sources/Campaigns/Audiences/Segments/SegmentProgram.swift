/// An expression compiled to a chain of tests, each with its successors: evaluation needs no recursion and no tree.
struct SegmentProgram: Sendable {
    /// A test and its successors: indexes of tests, or one of the two ends.
    private struct Step: Sendable {
        var test: Test
        var whenTrue: Int
        var whenFalse: Int
    }

    private enum Test: Sendable {
        case tag([UInt8])
        case group(Int, [UInt8])
        case locale([UInt8])
        case permission(PushPermission)
        case appVersion(SegmentComparison, [UInt8])
        case registeredAt(SegmentComparison, Int64)
        case text([UInt8], SegmentComparison, [UInt8])
        case number([UInt8], SegmentComparison, JSONNumber, Int64?)
        case version([UInt8], SegmentComparison, [UInt8])
        /// The index of a question about another campaign.
        case tracked(Int)
    }

    private static let accept = -1
    private static let reject = -2
    /// The tests from last to first: the entry is the last element.
    private var steps: [Step] = []
    private var entry = 0
    /// The questions to tracking data, which the caller answers.
    let questions: [TrackedQuestion]

    init(_ root: SegmentNode) {
        questions = root.questions
        entry = compile(root, whenTrue: Self.accept, whenFalse: Self.reject)
    }

    /// Appends the tests of a node after those that follow it, and returns the index of its entry.
    private mutating func compile(_ node: SegmentNode, whenTrue: Int, whenFalse: Int) -> Int {
        switch node {
        case .term(let term):
            steps.append(Step(test: test(term), whenTrue: whenTrue, whenFalse: whenFalse))
            return steps.count - 1
        case .not(let inner): return compile(inner, whenTrue: whenFalse, whenFalse: whenTrue)
        case .all(let parts):
            return parts.reversed().reduce(whenTrue) { compile($1, whenTrue: $0, whenFalse: whenFalse) }
        case .any(let parts):
            return parts.reversed().reduce(whenFalse) { compile($1, whenTrue: whenTrue, whenFalse: $0) }
        }
    }

    private func test(_ term: SegmentTerm) -> Test {
        switch term {
        case .tag(let tag): .tag(Array(tag.utf8))
        case .group(let field, let value): .group(field.rawValue, Array(value.utf8))
        case .locale(let range): .locale(Array(range.utf8))
        case .permission(let value): .permission(value)
        case .appVersion(let comparison, let version): .appVersion(comparison, Array(version.utf8))
        case .registeredAt(let comparison, let instant): .registeredAt(comparison, instant.milliseconds)
        case .attribute(let name, let comparison, let literal):
            switch literal {
            case .text(let text): .text(Array(name.utf8), comparison, Array(text.utf8))
            case .bool(let flag): .text(Array(name.utf8), comparison, Array((flag ? "true" : "false").utf8))
            case .number(let number): .number(Array(name.utf8), comparison, number, Int64(number.text))
            case .version(let version): .version(Array(name.utf8), comparison, Array(version.utf8))
            }
        case .tracked(let question): .tracked(questions.firstIndex(of: question) ?? 0)
        }
    }

    func matches(_ device: PackedTraits, answer: (Int) -> Bool) -> Bool {
        var next = entry
        while next >= 0 {
            let step = steps[next]
            let holds =
                if case .tracked(let ordinal) = step.test { answer(ordinal) } else { Self.holds(step.test, device) }
            next = holds ? step.whenTrue : step.whenFalse
        }
        return next == Self.accept
    }

    private static func holds(_ test: Test, _ device: PackedTraits) -> Bool {
        switch test {
        case .tag(let tag): return tag.withUnsafeBytes(device.hasTag)
        case .group(let field, let value): return device.groupField(field).elementsEqual(value)
        case .locale(let range): return isLocale(device.groupField(2), within: range)
        case .permission(let value): return device.permission == value
        case .appVersion(let comparison, let version):
            return comparison.holds(VersionOrder.compare(device.appVersion, version))
        case .registeredAt(let comparison, let instant):
            guard let registered = device.registeredAt?.milliseconds else { return false }
            return comparison.holds(registered < instant ? -1 : registered > instant ? 1 : 0)
        case .text(let name, let comparison, let text):
            return comparison.holds(name.withUnsafeBytes(device.attribute).map { order($0, text) })
        case .number(let name, let comparison, let number, let whole):
            guard let value = name.withUnsafeBytes(device.attribute) else { return false }
            return comparison.holds(order(value, number, whole))
        case .version(let name, let comparison, let version):
            guard let value = name.withUnsafeBytes(device.attribute) else { return false }
            return comparison.holds(VersionOrder.compare(value, version))
        case .tracked: return false
        }
    }

    /// Returns true if a range matches by basic filtering (RFC 4647, section 3.3.1): it equals the locale, or a prefix
    /// of it that a hyphen follows.
    private static func isLocale(_ locale: UnsafeRawBufferPointer, within range: [UInt8]) -> Bool {
        guard locale.count >= range.count else { return false }
        for (index, letter) in range.enumerated() {
            let byte = locale[index]
            if ((65...90).contains(byte) ? byte | 0x20 : byte) != letter { return false }
        }
        return locale.count == range.count || locale[range.count] == UInt8(ascii: "-")
    }

    private static func order(_ left: UnsafeRawBufferPointer, _ right: [UInt8]) -> Int {
        if left.elementsEqual(right) { return 0 }
        return left.lexicographicallyPrecedes(right) ? -1 : 1
    }

    /// Returns nil if the value is not a number.
    private static func order(_ value: UnsafeRawBufferPointer, _ number: JSONNumber, _ whole: Int64?) -> Int? {
        if let whole, let left = shortInteger(value) { return left < whole ? -1 : left > whole ? 1 : 0 }
        guard JSONNumber.isNumber(value) else { return nil }
        return JSONNumber(text: String(decoding: value, as: UTF8.self)).compare(number)
    }

    /// Reads an integer of up to 18 digits, the usual case, without allocating a string.
    private static func shortInteger(_ text: UnsafeRawBufferPointer) -> Int64? {
        var digits = text[...]
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { digits = digits.dropFirst() }
        guard (1...18).contains(digits.count), digits.first != 48 || digits.count == 1 else { return nil }
        var value: Int64 = 0
        for digit in digits {
            guard (48...57).contains(digit) else { return nil }
            value = value * 10 + Int64(digit - 48)
        }
        return isNegative ? -value : value
    }
}
