/// A payload or header value with its templates, linked to one list of instructions: made once per shard.
public struct TemplateProgram: Sendable {
    /// The linked instructions and their constants.
    private(set) var template = Template()

    /// Links a payload with its templates.
    ///
    /// Throws if a template does not compile; `placeholders` must be in order and fit the payload.
    public init(payload: [UInt8], placeholders: [TemplatePlaceholder], messageIDAt: UInt32?) throws(TemplateProblem) {
        var written = 0
        var idAt = messageIDAt.map { Int($0) }
        for placeholder in placeholders {
            if let offset = idAt, offset < Int(placeholder.at) {
                constant(payload[written..<offset])
                messageID()
                written = offset + MessageIDPlaceholder.byteCount
                idAt = nil
            }
            constant(payload[written..<Int(placeholder.at)])
            written = Int(placeholder.at)
            try add(Template(placeholder.source), placeholder.form)
        }
        if let offset = idAt {
            constant(payload[written..<offset])
            messageID()
            written = offset + MessageIDPlaceholder.byteCount
        }
        constant(payload[written...])
    }

    /// Compiles a text without escapes: a header's value, or a sample.
    public init(text source: String) throws(TemplateProblem) {
        add(try Template(source), escapes: 0)
    }

    private mutating func constant(_ bytes: some Collection<UInt8>) {
        guard !bytes.isEmpty else { return }
        let (start, count) = template.literal(bytes)
        let text = TemplateOperand(kind: .text, start: start, count: count)
        template.instructions.append(TemplateInstruction(operation: .text, left: text))
    }

    private mutating func messageID() {
        template.instructions.append(TemplateInstruction(operation: .messageID))
    }

    private mutating func add(_ other: Template, _ form: TemplatePlaceholder.Form) {
        guard let member = form.member else { return add(other, escapes: form == .nestedText ? 2 : 1) }
        template.instructions.append(TemplateInstruction(operation: .mark))
        add(other, escapes: 0)
        let (start, count) = template.literal(member.description.utf8)
        let prefix = TemplateOperand(kind: .text, start: start, count: count)
        template.instructions.append(TemplateInstruction(operation: .badge, left: prefix))
    }

    /// Adds a template; `escapes` is the number of JSON strings around it.
    private mutating func add(_ other: Template, escapes: UInt8) {
        let first = Int32(template.instructions.count)
        let literals = Int32(template.literals.count)
        template.literals += other.literals
        let names = other.names.map { template.variable($0) }
        let reasons = other.reasons.map { template.reason($0) }
        for var instruction in other.instructions {
            instruction.left = moved(instruction.left, literals, names)
            instruction.right = moved(instruction.right, literals, names)
            switch instruction.operation {
            case .text:
                for _ in 0..<escapes { instruction.left = escaped(instruction.left) }
            case .write: instruction.detail = escapes
            case .jump, .jumpUnless: instruction.target += first
            case .abort: instruction.target = reasons[Int(instruction.target)]
            default: break
            }
            template.instructions.append(instruction)
        }
    }

    private func moved(_ operand: TemplateOperand, _ literals: Int32, _ names: [Int32]) -> TemplateOperand {
        var operand = operand
        switch operand.kind {
        case .text, .number: operand.start += literals
        case .variable: operand.start = names[Int(operand.start)]
        case .absent, .yes, .no: break
        }
        return operand
    }

    /// Returns a constant, escaped for a JSON string.
    private mutating func escaped(_ operand: TemplateOperand) -> TemplateOperand {
        let start = Int(operand.start)
        let text = String(decoding: template.literals[start..<start + Int(operand.count)], as: UTF8.self)
        var bytes: [UInt8] = []
        JSONWriter.writeString(text, into: &bytes)
        let (offset, count) = template.literal(bytes.dropFirst().dropLast())
        return TemplateOperand(kind: .text, start: offset, count: count)
    }
}
