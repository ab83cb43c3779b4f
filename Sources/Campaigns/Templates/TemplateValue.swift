enum TemplateValue {
    /// A missing variable, or a result that does not exist, such as that of a division by zero.
    case absent
    case bool(Bool)
    /// UTF-8 in the renderer's memory.
    case text(UnsafeRawBufferPointer)
    case number(TemplateNumber)

    /// True for nothing and for an empty text, which a CSV file cannot tell apart.
    var isBlank: Bool {
        switch self {
        case .absent: true
        case .text(let bytes): bytes.isEmpty
        case .bool, .number: false
        }
    }

    /// The result of a condition on the value alone: false for nothing, an empty text and `false`.
    var isTrue: Bool {
        switch self {
        case .absent: false
        case .bool(let flag): flag
        case .number: true
        case .text(let bytes): !bytes.isEmpty && !bytes.elementsEqual("false".utf8)
        }
    }

    /// The value as a number, if it is one or reads as one; otherwise nil.
    var number: TemplateNumber? {
        switch self {
        case .number(let number): number
        case .text(let bytes): TemplateNumber(bytes)
        case .absent, .bool: nil
        }
    }
}

extension TemplateComparison {
    /// Returns true if a comparison holds; `text` returns a value as displayed.
    func holds(
        _ left: TemplateValue,
        _ right: TemplateValue,
        asNumbers: Bool,
        text: (TemplateValue) -> UnsafeRawBufferPointer
    ) -> Bool {
        switch self {
        case .isTrue: return left.isTrue
        case .equal: return Self.isEqual(left, right, asNumbers: asNumbers, text: text)
        case .notEqual: return !Self.isEqual(left, right, asNumbers: asNumbers, text: text)
        case .contains: return !right.isBlank && Self.contains(text(left), text(right))
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            guard !left.isBlank, !right.isBlank else { return false }
            let order: Int
            if let first = left.number, let second = right.number, let compared = first.compared(to: second) {
                order = compared
            } else if asNumbers {
                return false
            } else {
                order = Self.order(text(left), text(right))
            }
            switch self {
            case .less: return order < 0
            case .lessOrEqual: return order <= 0
            case .greater: return order > 0
            default: return order >= 0
            }
        }
    }

    private static func isEqual(
        _ left: TemplateValue,
        _ right: TemplateValue,
        asNumbers: Bool,
        text: (TemplateValue) -> UnsafeRawBufferPointer
    ) -> Bool {
        if left.isBlank || right.isBlank { return left.isBlank && right.isBlank }
        if asNumbers, let first = left.number, let second = right.number { return first.compared(to: second) == 0 }
        return order(text(left), text(right)) == 0
    }

    private static func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        for (first, second) in zip(left, right) where first != second { return first < second ? -1 : 1 }
        return left.count - right.count
    }

    private static func contains(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
        guard part.count <= text.count else { return false }
        for start in 0...text.count - part.count
        where order(UnsafeRawBufferPointer(rebasing: text[start..<start + part.count]), part) == 0 {
            return true
        }
        return false
    }
}
