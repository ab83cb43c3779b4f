/// Where Liquid templates are allowed, and where not (contract, section 1, Content).
enum Templates {
    /// Refuses a template where the contract allows none: it would reach the phone as it stands.
    static func refuseAnywhere(in text: String, _ name: String, at pointer: JSONPointer, _ log: ProblemLog) {
        guard Template.isIn(text) else { return }
        log.refuse(.templateNotAllowed, at: pointer, "\(name) takes no template", fix: "write the text out")
    }

    /// Bytes of the templates of one content, or of one localization, at most: every shard carries them.
    static let bytesMax = 32_768

    /// Refuses more templates than a shard should carry.
    static func checkSize(_ texts: [(place: JSONPointer, text: String)], at pointer: JSONPointer, _ log: ProblemLog) {
        let count = texts.reduce(0) { $0 + (Template.isIn($1.text) ? $1.text.utf8.count : 0) }
        guard count > bytesMax else { return }
        let detail = "the templates have \(count) bytes in all, at most \(bytesMax) are allowed"
        log.refuse(.tooLarge, at: pointer, detail)
    }

    /// Refuses what does not compile.
    static func check(_ texts: [(place: JSONPointer, text: String)], _ log: ProblemLog) {
        for (place, text) in texts where Template.isIn(text) {
            do throws(TemplateProblem) {
                _ = try Template(text)
            } catch {
                log.refuse(.template, at: place, error.text, fix: error.fix)
            }
        }
    }

    /// Warns of variables that no device has: with a default, too, because a slip in a name would give it to all.
    ///
    /// - Parameters:
    ///   - texts: Texts that compile.
    ///   - known: The names of the devices' variables; all of them.
    static func unknownVariables(
        _ texts: [(place: JSONPointer, text: String)],
        known: Set<String>
    ) -> [Problem] {
        texts.flatMap { place, text -> [Problem] in
            guard Template.isIn(text), let template = try? Template(text) else { return [] }
            return template.names.filter { !known.contains($0) }.map { name in
                let near = Spelling.nearest(to: name, among: known.sorted())
                return Problem(
                    pointer: place.text,
                    code: .unknownVariable,
                    detail: "no device has a variable \(name.clipped); it counts as empty",
                    fix: near.map { "did you mean \($0)?" }
                )
            }
        }
    }
}

extension Job {
    /// Every text of the job in which a template may stand, with its place.
    public var personalTexts: [(place: JSONPointer, text: String)] {
        content.personalTexts(at: .root.appending("content"))
            + (delivery.collapseID.map { [(JSONPointer(text: "/delivery/collapse_id"), $0)] } ?? [])
    }

    /// Whether a template asks for a device's variables.
    public var usesVariables: Bool {
        personalTexts.contains { text in
            // One without variables may still abort, or not; it costs little to carry them then.
            Template.isIn(text.text)
        }
    }

    /// Warnings of variables that no device has; `known` are the names of all that one has.
    public func unknownVariables(known: Set<String>) -> [Problem] {
        Templates.unknownVariables(personalTexts, known: known)
    }
}
