/// The body of `POST /v1/polls/{id}/answers`; the message id is not verified yet.
public struct PollAnswersRequest: Sendable {
    /// The maximum size of a body, in bytes.
    public static let bytesMax = 64 * 1024
    /// The maximum number of answers.
    public static let answersMax = 100
    /// The maximum number of choices in an answer.
    public static let choicesMax = 100

    /// The signed message id; empty if it is missing.
    public let messageID: String
    /// The answers as they were sent.
    public let answers: [PollAnswers.Choice]
    /// The instant, corrected by ``TrackingTimes``.
    public let at: Timestamp
    /// All problems; if there are any, nothing may be used.
    public let problems: [Problem]

    static let fields = FieldList("the answers", ["m", "answers", "at"])
    static let answerFields = FieldList("an answer", ["question", "choices"])

    /// Decodes a body; pure, linear in its size.
    public init(_ body: [UInt8], now: Timestamp) {
        let reading = JSONReader.read(body, limits: JSONReader.Limits(bytesMax: Self.bytesMax, depthMax: 5))
        let log = ProblemLog(reading.problems)
        var (messageID, answers, at): (String, [PollAnswers.Choice], Timestamp) = ("", [], now)
        if let value = reading.value, let reader = ObjectReader(value, at: .root, Self.fields, log) {
            messageID = TrackingRequest.required("m", reader, log) ?? ""
            reader.require("at")
            at = reader.instant("at").map { TrackingTimes.believed($0, now: now) } ?? now
            reader.require("answers")
            answers = Self.answers(reader, log)
        }
        (self.messageID, self.answers, self.at, problems) = (messageID, answers, at, log.all)
    }

    private static func answers(_ reader: ObjectReader, _ log: ProblemLog) -> [PollAnswers.Choice] {
        guard let elements = reader.array("answers", countMax: answersMax) else { return [] }
        var result: [PollAnswers.Choice] = []
        for (index, element) in elements.enumerated() {
            let location = reader.pointer.appending("answers").appending(index)
            guard let answer = ObjectReader(element, at: location, answerFields, log) else { continue }
            answer.require("question")
            answer.require("choices")
            let choices = answer.texts("choices", countMax: choicesMax)
            guard let question = answer.text("question", bytesMax: 128) else { continue }
            if result.contains(where: { $0.question == question }) {
                let fix = "give all choices of a question in one answer"
                log.refuse(.conflict, at: location.appending("question"), "the question is answered twice", fix: fix)
            }
            if Set(choices).count < choices.count {
                log.refuse(.conflict, at: location.appending("choices"), "a choice is there twice")
            }
            result.append(PollAnswers.Choice(question: question, choices: choices))
        }
        return result
    }

    /// Returns the problems of the answers to a poll; questions may be skipped, but not all of them.
    public func problems(against poll: PollForm) -> [Problem] {
        if answers.isEmpty {
            return [Problem(pointer: "/answers", code: .empty, detail: "nothing is answered")]
        }
        var problems: [Problem] = []
        for (index, answer) in answers.enumerated() {
            let location = JSONPointer.root.appending("answers").appending(index)
            guard let question = poll.questions.first(where: { $0.id == answer.question }) else {
                let detail = "the poll has no question \(answer.question.clipped)"
                problems.append(Problem(pointer: location.appending("question").text, code: .value, detail: detail))
                continue
            }
            let choices = location.appending("choices")
            if answer.choices.isEmpty, !question.takesMany {
                problems.append(Problem(pointer: choices.text, code: .empty, detail: "no choice is made"))
            }
            if !question.takesMany, answer.choices.count > 1 {
                let detail = "the question \(answer.question.clipped) takes one choice"
                problems.append(Problem(pointer: choices.text, code: .tooMany, detail: detail))
            }
            for (position, choice) in answer.choices.enumerated() where !question.choices.contains(choice) {
                let detail = "the question \(answer.question.clipped) has no choice \(choice.clipped)"
                problems.append(Problem(pointer: choices.appending(position).text, code: .value, detail: detail))
            }
        }
        return problems
    }
}

/// The form of a poll for checking answers: its questions and their choices by id, in the poll's order.
public struct PollForm: Hashable, Sendable {
    /// A question.
    public struct Question: Hashable, Sendable {
        /// Its id.
        public var id: String
        /// True if more than one choice is allowed.
        public var takesMany: Bool
        /// The ids of its choices.
        public var choices: [String]
    }

    /// The questions.
    public var questions: [Question]

    /// Creates a form.
    public init(questions: [Question]) {
        self.questions = questions
    }

    /// Reads `content.poll` of a stored job; nil if the job has none.
    public init?(job: JSONValue) {
        guard let questions = job["content"]?["poll"]?["questions"]?.array else { return nil }
        self.questions = questions.compactMap { question in
            guard let id = question["id"]?.string else { return nil }
            return Question(
                id: id,
                takesMany: question["select"]?.string == "many",
                choices: question["choices"]?.array?.compactMap { $0["id"]?.string } ?? []
            )
        }
    }
}
