extension Job {
    /// The texts of the job that may contain a template, with their pointers.
    public var personalTexts: [(location: JSONPointer, text: String)] {
        content.personalTexts(at: .root.appending("content"))
            + (delivery.collapseID.map { [(JSONPointer(text: "/delivery/collapse_id"), $0)] } ?? [])
    }

    /// True if the job has a template and so may need the devices' variables.
    public var usesVariables: Bool {
        personalTexts.contains { text in
            // A template without variables counts too; it costs little to carry them then.
            Template.isIn(text.text)
        }
    }

    /// Returns warnings of variables that no device has; `known` are the names of all variables.
    public func unknownVariables(known: Set<String>) -> [Problem] {
        Templates.unknownVariables(personalTexts, known: known)
    }
}
