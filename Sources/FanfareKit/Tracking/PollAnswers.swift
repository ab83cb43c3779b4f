import Foundation

/// What this phone answered to a poll, until the server has it.
struct PollAnswers: Codable, Sendable, Equatable {
    /// The poll, by its campaign.
    let poll: String
    let messageID: String
    /// Choices by question.
    let answers: [String: [String]]
    let at: Date

    /// The body of the request.
    var body: JSON {
        let all = answers.sorted { $0.key < $1.key }.map { question, choices in
            JSON.object(["question": .string(question), "choices": .array(choices.map(JSON.string))])
        }
        return .object(["m": .string(messageID), "answers": .array(all), "at": .string(InstantText.text(at))])
    }
}

/// Which answers go to the server when; no clock, no I/O.
///
/// The server counts a device's first answer to a poll, so that sending one again is harmless.
struct AnswerBox {
    /// Polls whose answers are kept while the phone is offline.
    static let keptMax = 100

    private(set) var waiting: [PollAnswers]
    private var isSending = false
    private var notBefore = Date.distantPast
    private var backoff = Backoff()

    init(_ waiting: [PollAnswers] = []) {
        self.waiting = waiting
    }

    /// When the next answers may go; nil: when something happens.
    var wakeAt: Date? { isSending || waiting.isEmpty ? nil : notBefore }

    /// Takes answers in and says which have no room any more; a poll that was answered keeps its first.
    mutating func add(_ answers: PollAnswers) -> [PollAnswers] {
        guard !waiting.contains(where: { $0.poll == answers.poll }) else { return [] }
        waiting.append(answers)
        // The one that is under way stands first.
        guard waiting.count > Self.keptMax, !isSending else { return [] }
        let gone = waiting.prefix(waiting.count - Self.keptMax)
        waiting.removeFirst(gone.count)
        return Array(gone)
    }

    /// The answers that are to be sent now; nil for none.
    mutating func next(now: Date) -> PollAnswers? {
        guard let wakeAt, wakeAt <= now else { return nil }
        isSending = true
        return waiting.first
    }

    /// The server answered as to a batch of events, or did not; `chance` is from 0 to below 1.
    mutating func answered(_ answer: EventOutbox.Answer, now: Date, chance: Double) {
        isSending = false
        switch answer {
        case .taken, .refused:
            backoff.worked()
            if !waiting.isEmpty { waiting.removeFirst() }
        case .notRegistered: notBefore = now + backoff.failed(chance: chance)
        case .unavailable(let floor): notBefore = now + backoff.failed(chance: chance, floor: floor)
        }
    }

    /// The network is there again: it is worth a try at once.
    mutating func networkReturned() { notBefore = .distantPast }
}
