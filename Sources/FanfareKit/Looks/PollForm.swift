/// The choices that a person has made in a poll so far.
///
///     var form = PollForm(look.questions)
///     form.take("real", of: "who")
public struct PollForm: Sendable, Hashable {
    private let questions: [Poll.Question]
    private var taken: [String: Set<String>] = [:]

    /// Creates the form of a poll, with its defaults selected.
    ///
    ///     let form = PollForm(poll.questions)
    public init(_ questions: [Poll.Question]) {
        self.questions = questions
        for question in questions {
            let defaults = question.choices.filter(\.isDefault).map(\.id)
            // A question with a single choice selects only the first of several defaults.
            taken[question.id] = Set(question.isMultiple ? defaults : Array(defaults.prefix(1)))
        }
    }

    /// Selects a choice; where several may be selected, selecting one again removes it.
    ///
    ///     form.take("real", of: "who")
    public mutating func take(_ choice: String, of question: String) {
        guard let asked = questions.first(where: { $0.id == question }),
            asked.choices.contains(where: { $0.id == choice })
        else { return }
        taken[question] = asked.isMultiple ? (taken[question] ?? []).symmetricDifference([choice]) : [choice]
    }

    /// Returns true if a choice is selected.
    ///
    ///     mark.isHidden = !form.isTaken("real", of: "who")
    public func isTaken(_ choice: String, of question: String) -> Bool { taken[question]?.contains(choice) ?? false }

    /// The system's symbol for a choice: round for a single choice, square where several may be selected.
    func mark(_ choice: String, of question: Poll.Question) -> String {
        let isTaken = isTaken(choice, of: question.id)
        if question.isMultiple { return isTaken ? "checkmark.square.fill" : "square" }
        return isTaken ? "largecircle.fill.circle" : "circle"
    }

    /// The selected choices of each question, in their order; a question without one is left out.
    public var answers: [String: [String]] {
        var answers: [String: [String]] = [:]
        for question in questions {
            let choices = question.choices.map(\.id).filter { isTaken($0, of: question.id) }
            if !choices.isEmpty { answers[question.id] = choices }
        }
        return answers
    }
}
