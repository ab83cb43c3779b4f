import Foundation

extension Phone {
    static let answersFile = "answers.json"

    /// Keeps a poll's answers until the server has them, and lets the next campaign come.
    func answered(_ push: PushMessage, _ answers: [String: [String]]) {
        guard campaignQueue.current == push, let poll = push.content?.id, let messageID = push.messageID else {
            return viewEnded(push, .exited)
        }
        let gone = answerBox.add(PollAnswers(poll: poll, messageID: messageID, answers: answers, at: now))
        for old in gone { lost(1, "the answers to \(old.poll) were dropped for lack of room") }
        keepAnswers()
        viewEnded(push, .answered)
    }

    /// The number of poll answers that the server has not taken yet.
    var waitingAnswers: Int { answerBox.waiting.count }

    /// Sends the answers that are due.
    func sendAnswers() {
        guard let send = setting.send, let secret = registrar.memory.secret,
            let answers = answerBox.next(now: now)
        else { return }
        let id = answers.poll.addingPercentEncoding(withAllowedCharacters: .pathSegment) ?? answers.poll
        let body = try? JSONEncoder().encode(answers.body)
        let request = EdgeRequest(method: "POST", path: "/v1/polls/\(id)/answers", bearer: secret, body: body)
        launch { phone in
            let answer: EventOutbox.Answer
            do { answer = try await send(request).tracking } catch { answer = .unavailable(retryAfter: nil) }
            phone.answersEnded(answer, answers)
        }
    }

    private func answersEnded(_ answer: EventOutbox.Answer, _ answers: PollAnswers) {
        if case .refused(_, let reason) = answer {
            lost(1, "the server does not take the answers to \(answers.poll): \(reason)")
        }
        answerBox.answered(answer, now: now, chance: setting.chance())
        keepAnswers()
        pump()
    }

    func keepAnswers() {
        do {
            try storage.write(answerBox.waiting, Self.answersFile)
        } catch {
            listener.log("answers cannot be kept, and are sent from memory: \(error)")
        }
    }
}

extension CharacterSet {
    /// Characters that a path segment may have unescaped (RFC 3986, section 3.3), without the slash.
    static let pathSegment = CharacterSet.urlPathAllowed.subtracting(["/"])
}
