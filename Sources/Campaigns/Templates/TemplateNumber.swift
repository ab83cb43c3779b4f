/// An exact decimal number: `units` × 10^−`scale`.
///
/// It is never a binary fraction, so that 0.1 + 0.2 is 0.3. A result out of range is nil.
struct TemplateNumber: Sendable, Equatable {
    var units: Int128
    /// The number of decimal places, including trailing zeros; 0 for an integer.
    var scale: Int

    static let scaleMax = 18
    /// The decimal places of a quotient that has more.
    static let quotientScale = 12
    private static let digitsMax = 30

    init(units: Int128, scale: Int = 0) {
        self.units = units
        self.scale = scale
    }

    /// Reads `-12`, `3.50` or `.5`, with optional white space around it; nil for anything else.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var units: Int128 = 0
        var (digits, fraction, isNegative) = (0, -1, false)
        var (start, end) = (0, bytes.count)
        while start < end, TemplateScanner.isSpace(bytes[start]) { start += 1 }
        while end > start, TemplateScanner.isSpace(bytes[end - 1]) { end -= 1 }
        if start < end, bytes[start] == UInt8(ascii: "-") || bytes[start] == UInt8(ascii: "+") {
            isNegative = bytes[start] == UInt8(ascii: "-")
            start += 1
        }
        for byte in bytes[start..<end] {
            if byte == UInt8(ascii: "."), fraction < 0 {
                fraction = 0
                continue
            }
            guard byte >= 48, byte <= 57, digits < Self.digitsMax, fraction < Self.scaleMax else { return nil }
            units = units * 10 + Int128(byte - 48)
            digits += 1
            if fraction >= 0 { fraction += 1 }
        }
        guard digits > 0 else { return nil }
        self.units = isNegative ? -units : units
        scale = max(0, fraction)
    }

    static let zero = TemplateNumber(units: 0)

    static func power(_ exponent: Int) -> Int128 {
        var result: Int128 = 1
        for _ in 0..<exponent { result *= 10 }
        return result
    }

    /// Returns the units for more decimal places; nil on overflow.
    private func widened(to scale: Int) -> Int128? {
        let (units, isOver) = units.multipliedReportingOverflow(by: Self.power(scale - self.scale))
        return isOver ? nil : units
    }

    private static func aligned(_ left: Self, _ right: Self) -> (left: Int128, right: Int128, scale: Int)? {
        let scale = max(left.scale, right.scale)
        guard let first = left.widened(to: scale), let second = right.widened(to: scale) else { return nil }
        return (first, second, scale)
    }

    func plus(_ other: Self) -> Self? {
        guard let (left, right, scale) = Self.aligned(self, other) else { return nil }
        let (sum, isOver) = left.addingReportingOverflow(right)
        return isOver ? nil : Self(units: sum, scale: scale)
    }

    var negated: Self { Self(units: 0 &- units, scale: scale) }

    func times(_ other: Self) -> Self? {
        let (product, isOver) = units.multipliedReportingOverflow(by: other.units)
        guard !isOver else { return nil }
        return Self(units: product, scale: scale + other.scale).rounded(to: Self.scaleMax)
    }

    /// Divides two integers to an integer, rounded down, as in Liquid, and other numbers to up to twelve decimal
    /// places.
    func divided(by other: Self) -> Self? {
        guard other.units != 0 else { return nil }
        if scale == 0, other.scale == 0 { return Self(units: Self.floored(units, other.units)) }
        let shift = Self.quotientScale + other.scale - scale
        var (dividend, divisor) = (units, other.units)
        let isOver: Bool
        if shift >= 0 {
            (dividend, isOver) = units.multipliedReportingOverflow(by: Self.power(shift))
        } else {
            (divisor, isOver) = divisor.multipliedReportingOverflow(by: Self.power(-shift))
        }
        return isOver ? nil : Self(units: Self.halfAway(dividend, divisor), scale: Self.quotientScale)
    }

    func modulo(_ other: Self) -> Self? {
        guard let (left, right, scale) = Self.aligned(self, other), right != 0 else { return nil }
        let rest = left % right
        return Self(units: rest != 0 && (rest < 0) != (right < 0) ? rest + right : rest, scale: scale)
    }

    /// Rounds half away from zero.
    func rounded(to digits: Int) -> Self {
        guard scale > digits else { return self }
        return Self(units: Self.halfAway(units, Self.power(scale - digits)), scale: digits)
    }

    var floored: Self { Self(units: Self.floored(units, Self.power(scale))) }

    var ceiled: Self { negated.floored.negated }

    private static func floored(_ dividend: Int128, _ divisor: Int128) -> Int128 {
        let (quotient, rest) = dividend.quotientAndRemainder(dividingBy: divisor)
        return rest != 0 && (rest < 0) != (divisor < 0) ? quotient - 1 : quotient
    }

    private static func halfAway(_ dividend: Int128, _ divisor: Int128) -> Int128 {
        let (quotient, rest) = dividend.quotientAndRemainder(dividingBy: divisor)
        // Does not double the remainder, which could overflow.
        guard rest.magnitude >= divisor.magnitude - rest.magnitude else { return quotient }
        return (dividend < 0) == (divisor < 0) ? quotient + 1 : quotient - 1
    }

    /// Returns a negative number, zero or a positive one; nil if the two do not fit a common scale.
    func compared(to other: Self) -> Int? {
        guard let (left, right, _) = Self.aligned(self, other) else { return nil }
        return left < right ? -1 : left == right ? 0 : 1
    }

    /// Writes the shortest form, without trailing zeros in a fraction.
    func write(to sink: inout TemplateSink) {
        var (rest, places) = (units.magnitude, scale)
        while places > 0, rest % 10 == 0 {
            rest /= 10
            places -= 1
        }
        if units < 0 { sink.append(UInt8(ascii: "-")) }
        // 128 bits have at most 39 digits, and a fraction has at least one before its point.
        withUnsafeTemporaryAllocation(byteCount: 40, alignment: 1) { digits in
            var count = 0
            while rest > 0 || count <= places {
                digits[count] = 48 + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
                count += 1
            }
            while count > 0 {
                if count == places { sink.append(UInt8(ascii: ".")) }
                count -= 1
                sink.append(digits[count])
            }
        }
    }
}
