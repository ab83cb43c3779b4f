import Foundation

/// The answers given to a poll on this phone, kept until the server has them.
struct PollAnswers: Codable, Sendable, Equatable {
    /// The campaign id of the poll.
    let poll: String
    let messageID: String
    /// The choices by question.
    let answers: [String: [String]]
    let at: Date

    /// The JSON body of the request.
    var body: JSON {
        let all = answers.sorted { $0.key < $1.key }.map { question, choices in
            JSON.object(["question": .string(question), "choices": .array(choices.map(JSON.string))])
        }
        return .object(["m": .string(messageID), "answers": .array(all), "at": .string(InstantText.text(at))])
    }
}

/// Decides when poll answers go to the server; no clock, no I/O.
///
/// The server counts only a device's first answer to a poll, so sending one again is harmless.
struct AnswerBox {
    /// The number of polls whose answers are kept while the phone is offline.
    static let keptMax = 100

    private(set) var waiting: [PollAnswers]
    private var isSending = false
    private var notBefore = Date.distantPast
    private var backoff = Backoff()

    init(_ waiting: [PollAnswers] = []) {
        self.waiting = waiting
    }

    /// The time at which the next answers may go; nil while there is nothing to send.
    var wakeAt: Date? { isSending || waiting.isEmpty ? nil : notBefore }

    /// Adds answers unless the poll already has some; returns answers dropped for lack of room.
    mutating func add(_ answers: PollAnswers) -> [PollAnswers] {
        guard !waiting.contains(where: { $0.poll == answers.poll }) else { return [] }
        waiting.append(answers)
        // The answers being sent are the first and must stay.
        guard waiting.count > Self.keptMax, !isSending else { return [] }
        let gone = waiting.prefix(waiting.count - Self.keptMax)
        waiting.removeFirst(gone.count)
        return Array(gone)
    }

    /// Returns the answers to send now; nil for none.
    mutating func next(now: Date) -> PollAnswers? {
        guard let wakeAt, wakeAt <= now else { return nil }
        isSending = true
        return waiting.first
    }

    /// Handles the server's answer, as to a batch of events, or its absence; `chance` is from 0 to below 1.
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

    /// Allows a try at once, because the network is back.
    mutating func networkReturned() { notBefore = .distantPast }
}
