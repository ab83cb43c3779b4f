/// Collects what is wrong with one document; confined to one decoding.
final class ProblemLog {
    /// A list of more helps nobody and has to fit into an event.
    static let problemsMax = 100

    private(set) var problems: [Problem]
    private(set) var warnings: [Problem] = []
    private var omitted = 0
    /// Places that could not even be read: a second problem with the same value would only confuse.
    private let unreadable: Set<String>

    init(_ found: [JSONProblem] = []) {
        problems = found.map(\.problem)
        unreadable = Set(found.map(\.pointer.text))
    }

    /// Everything that is wrong, with a last entry that says how much more there is.
    var all: [Problem] {
        guard omitted > 0 else { return problems }
        return problems + [
            Problem(
                pointer: "",
                code: .moreProblems,
                detail: "\(omitted) more problems are not listed",
                fix: "mend these first"
            )
        ]
    }

    var isEmpty: Bool { problems.isEmpty }

    /// Whether a further problem would only be counted.
    var isFull: Bool { problems.count >= ProblemLog.problemsMax }

    /// Counts a problem without saying what it is.
    func omit() {
        omitted += 1
    }

    func refuse(_ code: ProblemCode, at pointer: JSONPointer, _ detail: String, fix: String? = nil) {
        guard !unreadable.contains(pointer.text) else { return }
        if isFull { return omit() }
        problems.append(Problem(pointer: pointer.text, code: code, detail: detail, fix: fix))
    }

    /// Forgets everything, for the next of many small documents.
    func clear() {
        problems.removeAll(keepingCapacity: true)
        warnings.removeAll(keepingCapacity: true)
        omitted = 0
    }

    /// Whether there is a problem with the value at a place, or with something in it.
    func hasProblem(within pointer: JSONPointer) -> Bool {
        problems.contains { $0.pointer == pointer.text || $0.pointer.hasPrefix(pointer.text + "/") }
    }

    func warn(_ warning: Problem) {
        guard warnings.count < ProblemLog.problemsMax else { return }
        warnings.append(warning)
    }

    func warn(_ code: ProblemCode, at pointer: JSONPointer, _ detail: String, fix: String? = nil) {
        guard warnings.count < ProblemLog.problemsMax else { return }
        warnings.append(Problem(pointer: pointer.text, code: code, detail: detail, fix: fix))
    }
}
