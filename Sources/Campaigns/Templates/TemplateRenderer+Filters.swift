/// The filters; `Documentation.docc/Templates.md` has an example of each, which a test runs.
extension TemplateRenderer {
    /// Returns the current value after a filter.
    func filtered(_ value: TemplateValue, _ step: TemplateInstruction, _ position: Int) -> TemplateValue {
        guard let filter = TemplateFilter(rawValue: step.detail) else { return value }
        let first = self.value(step.left, position)
        switch filter {
        case .default:
            if case .bool(false) = value { return first }
            return value.isBlank ? first : value
        case .upcase:
            return mapped(value) {
                $0.isASCII ? nil : $0.properties.uppercaseMapping
            } ascii: { _, byte in
                (97...122).contains(byte) ? byte - 32 : byte
            }
        case .downcase:
            return mapped(value) {
                $0.isASCII ? nil : $0.properties.lowercaseMapping
            } ascii: { _, byte in
                (65...90).contains(byte) ? byte + 32 : byte
            }
        case .capitalize: return capitalized(value)
        case .escape: return escapedForHTML(value)
        case .truncate: return truncated(value, to: first, ending: self.value(step.right, position))
        case .date: return date(value, first)
        default: return calculated(filter, value, first)
        }
    }

    private func calculated(_ filter: TemplateFilter, _ value: TemplateValue, _ other: TemplateValue) -> TemplateValue {
        // As in Liquid, a value that is not a number counts as 0.
        let left = value.number ?? .zero
        let right = other.number ?? .zero
        let result: TemplateNumber?
        switch filter {
        case .plus: result = left.plus(right)
        case .minus: result = left.plus(right.negated)
        case .times: result = left.times(right)
        case .dividedBy: result = left.divided(by: right)
        case .modulo: result = left.modulo(right)
        case .round:
            let digits = right.floored.units
            result = left.rounded(to: Int(max(0, min(Int128(TemplateNumber.scaleMax), digits))))
        case .ceil: result = left.ceiled
        case .floor: result = left.floored
        case .abs: result = left.units < 0 ? left.negated : left
        case .atLeast: result = left.compared(to: right).map { $0 < 0 ? right : left }
        case .atMost: result = left.compared(to: right).map { $0 > 0 ? right : left }
        default: result = nil
        }
        return result.map { .number($0) } ?? .absent
    }

    /// Maps a text letter by letter; `ascii` also gets the index of the letter.
    private func mapped(
        _ value: TemplateValue,
        _ other: (Unicode.Scalar) -> String?,
        ascii: (Int, UInt8) -> UInt8
    ) -> TemplateValue {
        let text = text(of: value)
        let start = scratch.count
        if text.allSatisfy({ $0 < 0x80 }) {
            for (index, byte) in text.enumerated() { scratch.append(ascii(index, byte)) }
        } else {
            var iterator = text.makeIterator()
            var parser = Unicode.UTF8.ForwardParser()
            var index = 0
            while case .valid(let encoded) = parser.parseScalar(from: &iterator) {
                let scalar = Unicode.UTF8.decode(encoded)
                if scalar.isASCII {
                    scratch.append(ascii(index, UInt8(truncatingIfNeeded: scalar.value)))
                } else if let mapping = other(scalar) {
                    for byte in mapping.utf8 { scratch.append(byte) }
                } else {
                    for byte in encoded { scratch.append(byte) }
                }
                index += 1
            }
        }
        return .text(scratch.bytes(from: start))
    }

    /// Changes the first letter to upper case and the others to lower case, as in Liquid.
    private func capitalized(_ value: TemplateValue) -> TemplateValue {
        var isFirst = true
        return mapped(value) { scalar in
            defer { isFirst = false }
            return isFirst ? scalar.properties.titlecaseMapping : scalar.properties.lowercaseMapping
        } ascii: { index, byte in
            isFirst = false
            if index == 0 { return (97...122).contains(byte) ? byte - 32 : byte }
            return (65...90).contains(byte) ? byte + 32 : byte
        }
    }

    private func escapedForHTML(_ value: TemplateValue) -> TemplateValue {
        let text = text(of: value)
        let start = scratch.count
        for byte in text {
            switch byte {
            case UInt8(ascii: "&"): scratch.append("&amp;")
            case UInt8(ascii: "<"): scratch.append("&lt;")
            case UInt8(ascii: ">"): scratch.append("&gt;")
            case UInt8(ascii: "\""): scratch.append("&quot;")
            case UInt8(ascii: "'"): scratch.append("&#39;")
            default: scratch.append(byte)
            }
        }
        return .text(scratch.bytes(from: start))
    }

    /// Truncates by user-perceived characters, including those of the ending, as in Liquid.
    private func truncated(_ value: TemplateValue, to limit: TemplateValue, ending: TemplateValue) -> TemplateValue {
        let text = text(of: value)
        let most = Int(max(0, min(Int128(Int32.max), limit.number?.floored.units ?? 50)))
        guard text.count > most else { return .text(text) }
        var dots = UnsafeRawBufferPointer(start: nil, count: 0)
        if case .absent = ending {
            let standard: StaticString = "..."
            dots = UnsafeRawBufferPointer(start: standard.utf8Start, count: standard.utf8CodeUnitCount)
        } else {
            dots = self.text(of: ending)
        }
        let kept: Int
        if text.allSatisfy({ $0 < 0x80 }), dots.allSatisfy({ $0 < 0x80 }) {
            kept = max(0, most - dots.count)
        } else {
            let whole = String(decoding: text, as: UTF8.self)
            guard whole.count > most else { return .text(text) }
            kept = whole.prefix(max(0, most - String(decoding: dots, as: UTF8.self).count)).utf8.count
        }
        let start = scratch.count
        scratch.append(UnsafeRawBufferPointer(rebasing: text[..<kept]))
        scratch.append(dots)
        return .text(scratch.bytes(from: start))
    }

    /// Formats a date; other values remain unchanged, as in Liquid.
    private func date(_ value: TemplateValue, _ format: TemplateValue) -> TemplateValue {
        guard let date = TemplateDate(text(of: value)), case .text(let directives) = format else { return value }
        let start = scratch.count
        date.write(directives, to: &scratch)
        return .text(scratch.bytes(from: start))
    }
}
