/// Runs a program for one device after another.
///
/// Total: for any variables a device gets a rendering or a reason why it has none, deterministically and in bounded
/// time and memory. Confined to its creator. In the steady state it allocates nothing, unless `truncate` meets a text
/// that is not ASCII.
public final class TemplateRenderer {
    /// The reason why a device has no rendering.
    public enum Failure: Equatable, Sendable {
        /// `{% abort %}`, with its reason.
        case aborted(String)
        /// The rendering exceeds the limit.
        case tooLarge
        /// A required variable is not UTF-8.
        case invalidVariable
        /// The badge is not an integer from 0 to 2,147,483,647.
        case invalidBadge
        /// The filters and conditions would take too long.
        case tooComplex
    }

    private let instructions: UnsafeMutableBufferPointer<TemplateInstruction>
    private let literals: UnsafeMutableRawBufferPointer
    private let variables: TemplateVariables
    private let reasons: [String]
    private var output: TemplateSink
    var scratch: TemplateSink
    private var isBroken = false
    /// The number of bytes that filters and conditions may still read for this device.
    private var fuel = 0
    private var messageIDAt: Int?

    /// The maximum number of bytes that filters may produce from a device's values in total.
    private static let scratchBytes = 32_768
    /// The maximum number of bytes that they may read: half a millisecond at worst, and far more than any text needs.
    private static let fuelMax = 1 << 20

    /// Prepares a program for the devices of a batch; a rendering has at most `bytesMax` bytes.
    public init(_ program: TemplateProgram, _ batch: DeviceBatch, bytesMax: Int) {
        let template = program.template
        instructions = .allocate(capacity: template.instructions.count)
        _ = instructions.initialize(fromContentsOf: template.instructions)
        literals = .allocate(byteCount: template.literals.count, alignment: 16)
        literals.copyBytes(from: template.literals)
        variables = TemplateVariables(template.names, of: batch)
        reasons = template.reasons
        output = TemplateSink(capacity: bytesMax)
        scratch = TemplateSink(capacity: Self.scratchBytes)
    }

    deinit {
        instructions.deallocate()
        literals.deallocate()
        variables.free()
        output.memory.deallocate()
        scratch.memory.deallocate()
    }

    /// The output of the last call of `render`, valid until the next.
    public var bytes: UnsafeRawBufferPointer { output.bytes() }

    /// The space in `bytes` for the device's message id; nil if there is none.
    public var messageID: UnsafeMutableRawBufferPointer? {
        messageIDAt.map {
            UnsafeMutableRawBufferPointer(rebasing: output.memory[$0..<$0 + MessageIDPlaceholder.byteCount])
        }
    }

    /// Renders for the device at a position of the batch; returns nil on success.
    public func render(_ position: Int) -> Failure? {
        output.reset()
        scratch.reset()
        isBroken = false
        fuel = Self.fuelMax
        messageIDAt = nil
        var (next, mark, flag) = (0, 0, false)
        var value = TemplateValue.absent
        while next < instructions.count {
            let step = instructions[next]
            next += 1
            switch step.operation {
            case .text: output.append(literal(step.left))
            case .load: value = self.value(step.left, position)
            case .filter:
                if case .text(let text) = value { fuel -= text.count }
                guard fuel > 0, !scratch.isOver, !output.isOver else { return ending }
                value = filtered(value, step, position)
            case .write: write(value, escapes: step.detail)
            case .compare: flag = holds(step, position)
            case .and: flag = holds(step, position) && flag
            case .or: flag = holds(step, position) || flag
            case .jumpUnless: if !flag { next = Int(step.target) }
            case .jump: next = Int(step.target)
            case .abort: return .aborted(reasons[Int(step.target)])
            case .mark: mark = output.count
            case .badge: if !badge(from: mark, prefix: literal(step.left)) { return .invalidBadge }
            case .messageID:
                messageIDAt = output.count
                for _ in 0..<MessageIDPlaceholder.byteCount { output.append(UInt8(ascii: "-")) }
            }
        }
        return ending
    }

    /// The result for the device.
    private var ending: Failure? {
        if isBroken { return .invalidVariable }
        if fuel <= 0 { return .tooComplex }
        return output.isOver || scratch.isOver ? .tooLarge : nil
    }

    @inline(__always)
    func literal(_ operand: TemplateOperand) -> UnsafeRawBufferPointer {
        let start = Int(operand.start)
        return UnsafeRawBufferPointer(rebasing: literals[start..<start + Int(operand.count)])
    }

    @inline(__always)
    func value(_ operand: TemplateOperand, _ position: Int) -> TemplateValue {
        switch operand.kind {
        case .absent: return .absent
        case .text: return .text(literal(operand))
        case .number: return TemplateNumber(literal(operand)).map { .number($0) } ?? .absent
        case .yes: return .bool(true)
        case .no: return .bool(false)
        case .variable:
            switch variables.value(Int(operand.start), of: position) {
            case .absent: return .absent
            case .text(let bytes): return .text(bytes)
            case .broken:
                isBroken = true
                return .absent
            }
        }
    }

    @inline(__always)
    private func write(_ value: TemplateValue, escapes: UInt8) {
        let text = text(of: value)
        switch escapes {
        case 0: output.append(text)
        case 1: output.appendEscaped(text)
        default:
            let start = scratch.count
            scratch.appendEscaped(text)
            output.appendEscaped(scratch.bytes(from: start))
        }
    }

    /// Returns a value as text, in the scratch memory unless it already is one.
    func text(of value: TemplateValue) -> UnsafeRawBufferPointer {
        switch value {
        case .absent: return UnsafeRawBufferPointer(start: nil, count: 0)
        case .text(let bytes): return bytes
        case .bool(let flag):
            let word: StaticString = flag ? "true" : "false"
            return UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        case .number(let number):
            let start = scratch.count
            number.write(to: &scratch)
            return scratch.bytes(from: start)
        }
    }

    private func holds(_ step: TemplateInstruction, _ position: Int) -> Bool {
        guard let comparison = TemplateComparison(rawValue: step.detail) else { return false }
        let left = value(step.left, position)
        if comparison == .isTrue { return left.isTrue }
        let right = value(step.right, position)
        if case .text(let text) = left, case .text(let other) = right {
            fuel -= comparison == .contains ? text.count * other.count : text.count + other.count
            guard fuel > 0 else { return false }
        }
        // A numeric constant makes the comparison numeric.
        let asNumbers = step.left.kind == .number || step.right.kind == .number
        return comparison.holds(left, right, asNumbers: asNumbers) { text(of: $0) }
    }

    /// Writes the integer after its member's name, or nothing for an empty output; returns false for anything else.
    private func badge(from mark: Int, prefix: UnsafeRawBufferPointer) -> Bool {
        let written = output.bytes(from: mark)
        let isEmpty = written.allSatisfy { TemplateScanner.isSpace($0) }
        let number = TemplateNumber(written)
        output.cut(to: mark)
        if isEmpty { return true }
        guard let number, number.floored.compared(to: number) == 0,
            (0...Int128(Int32.max)).contains(number.floored.units)
        else { return false }
        output.append(prefix)
        number.floored.write(to: &output)
        return true
    }
}
