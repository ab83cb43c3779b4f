/// The rules for Liquid templates in a job (contract, section 1, Content).
enum Templates {
    /// Refuses a template where the contract allows none: it would reach the phone unrendered.
    static func refuseAnywhere(in text: String, _ name: String, at pointer: JSONPointer, _ log: ProblemLog) {
        guard Template.isIn(text) else { return }
        log.refuse(.templateNotAllowed, at: pointer, "\(name) takes no template", fix: "write the text out")
    }

    /// The size limit of all templates in a content, or in a localization, in bytes: every shard carries them.
    static let bytesMax = 32_768

    /// Refuses templates that are too large for a shard.
    static func checkSize(_ texts: [(location: JSONPointer, text: String)], at pointer: JSONPointer, _ log: ProblemLog)
    {
        let count = texts.reduce(0) { $0 + (Template.isIn($1.text) ? $1.text.utf8.count : 0) }
        guard count > bytesMax else { return }
        let detail = "the templates have \(count) bytes in all, at most \(bytesMax) are allowed"
        log.refuse(.tooLarge, at: pointer, detail)
    }

    /// Refuses templates that do not compile.
    static func check(_ texts: [(location: JSONPointer, text: String)], _ log: ProblemLog) {
        for (location, text) in texts where Template.isIn(text) {
            do throws(TemplateProblem) {
                _ = try Template(text)
            } catch {
                log.refuse(.template, at: location, error.text, fix: error.fix)
            }
        }
    }

    /// Returns warnings of variables that no device has, even with a default: a misspelt name would give it to all.
    ///
    /// - Parameters:
    ///   - texts: Texts that compile.
    ///   - known: The names of all variables of the devices.
    static func unknownVariables(
        _ texts: [(location: JSONPointer, text: String)],
        known: Set<String>
    ) -> [Problem] {
        texts.flatMap { location, text -> [Problem] in
            guard Template.isIn(text), let template = try? Template(text) else { return [] }
            return template.names.filter { !known.contains($0) }.map { name in
                let near = Spelling.nearest(to: name, among: known.sorted())
                return Problem(
                    pointer: location.text,
                    code: .unknownVariable,
                    detail: "no device has a variable \(name.clipped); it counts as empty",
                    fix: near.map { "did you mean \($0)?" }
                )
            }
        }
    }
}
