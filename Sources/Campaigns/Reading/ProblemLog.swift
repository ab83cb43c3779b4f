/// A collector for the problems of one document; confined to one decoding.
final class ProblemLog {
    /// The maximum number of listed problems: a longer list helps nobody, and it must fit into an event.
    static let problemsMax = 100

    private(set) var problems: [Problem]
    private(set) var warnings: [Problem] = []
    private var omitted = 0
    /// The pointers of unreadable values: a second problem about the same value would only confuse.
    private let unreadable: Set<String>

    init(_ found: [JSONProblem] = []) {
        problems = found.map(\.problem)
        unreadable = Set(found.map(\.pointer.text))
    }

    /// All problems, with a last entry for the number of omitted ones.
    var all: [Problem] {
        guard omitted > 0 else { return problems }
        return problems + [
            Problem(
                pointer: "",
                code: .moreProblems,
                detail: "\(omitted) more problems are not listed",
                fix: "fix these first"
            )
        ]
    }

    var isEmpty: Bool { problems.isEmpty }

    /// True if further problems are only counted.
    var isFull: Bool { problems.count >= ProblemLog.problemsMax }

    /// Counts a problem without details.
    func omit() {
        omitted += 1
    }

    func refuse(_ code: ProblemCode, at pointer: JSONPointer, _ detail: String, fix: String? = nil) {
        guard !unreadable.contains(pointer.text) else { return }
        if isFull { return omit() }
        problems.append(Problem(pointer: pointer.text, code: code, detail: detail, fix: fix))
    }

    /// Removes everything, to reuse the log for the next of many small documents.
    func clear() {
        problems.removeAll(keepingCapacity: true)
        warnings.removeAll(keepingCapacity: true)
        omitted = 0
    }

    /// Returns true if there is a problem with the value at a pointer, or with a value in it.
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
