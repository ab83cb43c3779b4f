import Campaigns

extension FuzzTarget {
    /// Compiles a template: it is refused with its position, or renders JSON for any variables, repeatably.
    ///
    /// The input is the template and, after a zero byte, the values of the variables `a`, `b` and `c`.
    static func templates(_ input: [UInt8]) {
        let parts = input.split(separator: 0, maxSplits: 3, omittingEmptySubsequences: false)
        let source = String(decoding: parts.first ?? [], as: UTF8.self)
        do throws(TemplateProblem) {
            _ = try Template(source)
        } catch {
            precondition(error.line > 0 && error.column > 0 && !error.detail.isEmpty, "a problem without its place")
            return
        }
        var variables: [String: String] = [:]
        for (name, value) in zip(["a", "b", "c"], parts.dropFirst()) {
            variables[name] = String(decoding: value, as: UTF8.self)
        }
        var batch = DeviceBatch()
        batch.append(token: [1], variables: variables)
        batch.append(token: [1])
        let before = Array(#"{"aps":{"alert":""#.utf8)
        guard
            let program = try? TemplateProgram(
                payload: before + Array(#""}}"#.utf8),
                placeholders: [TemplatePlaceholder(at: UInt32(before.count), source: source)],
                messageIDAt: nil
            )
        else { preconditionFailure("a template that compiles alone does not in a payload") }
        let renderer = TemplateRenderer(program, batch, bytesMax: 4096)
        for position in 0..<2 {
            let failure = renderer.render(position)
            let bytes = Array(renderer.bytes)
            precondition(renderer.render(position) == failure, "not the same end")
            guard failure == nil else { continue }
            precondition(Array(renderer.bytes) == bytes, "not the same bytes")
            precondition(JSONReader.read(bytes).value != nil, "no JSON")
        }
    }
}
