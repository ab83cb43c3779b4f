import Campaigns

/// Renders sources for tests.
enum Rendering {
    /// Renders a template for a device's variables, without escapes; a failure is in brackets.
    static func text(_ source: String, _ variables: [String: String] = [:]) throws(TemplateProblem) -> String {
        var batch = DeviceBatch()
        batch.append(token: [1], variables: variables)
        let renderer = TemplateRenderer(try TemplateProgram(text: source), batch, bytesMax: 4096)
        if let failure = renderer.render(0) { return "[\(failure)]" }
        return String(decoding: renderer.bytes, as: UTF8.self)
    }

    /// Returns the problem of a source; nil when it compiles.
    static func problem(_ source: String) -> TemplateProblem? {
        do throws(TemplateProblem) {
            _ = try Template(source)
            return nil
        } catch { return error }
    }

    /// Renders `{"aps":{"alert":"…"}}` with a template in it, for each device.
    static func payloads(_ source: String, _ batch: DeviceBatch, bytesMax: Int = 4096) throws -> [[UInt8]?] {
        let before = Array(#"{"aps":{"alert":""#.utf8)
        let placeholder = TemplatePlaceholder(at: UInt32(before.count), source: source)
        let program = try TemplateProgram(
            payload: before + Array(#""}}"#.utf8),
            placeholders: [placeholder],
            messageIDAt: nil
        )
        let renderer = TemplateRenderer(program, batch, bytesMax: bytesMax)
        return (0..<batch.count).map { renderer.render($0) == nil ? Array(renderer.bytes) : nil }
    }
}
