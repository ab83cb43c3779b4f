import Campaigns

extension FuzzTarget {
    private static let now = Timestamp(milliseconds: 1_795_000_000_000)

    /// Reads a tracking batch: it is refused, or is the same when it is written again.
    static func trackingBatch(_ input: [UInt8]) {
        guard let batch = try? TrackingBatch(encoded: input) else { return }
        let again = try? TrackingBatch(encoded: batch.encoded())
        precondition(again?.entries == batch.entries, "another batch when it is written again")
        precondition(batch.entries.count <= TrackingBatch.entriesMax, "more entries than a batch may have")
    }

    /// Reads phones' events: they are refused, or can be put into a batch, as events and as answers to a poll.
    static func tracking(_ input: [UInt8]) {
        let request = TrackingRequest(input, now: now)
        if request.problems.isEmpty {
            let events = request.events
            precondition((1...TrackingRequest.eventsMax).contains(events.count), "no event, or too many")
            precondition(Set(events.map(\.id)).count == events.count, "an id that counts twice")
            let entries = events.map { event -> TrackingBatch.Entry in
                precondition(event.type != .actioned || !event.detail.isEmpty, "a button without a name")
                return .event(
                    TrackingEvent(
                        device: device,
                        type: event.type,
                        surface: event.surface,
                        detail: event.detail,
                        at: event.at
                    )
                )
            }
            trackingBatch(TrackingBatch(entries).encoded())
        }
        let poll = PollAnswersRequest(input, now: now)
        if poll.problems.isEmpty {
            let entry = TrackingBatch.Entry.answers(PollAnswers(device: device, answers: poll.answers, at: poll.at))
            let batch = try? TrackingBatch(encoded: TrackingBatch([entry]).encoded())
            precondition(batch?.entries == [entry], "answers that the worker cannot read")
        }
    }

    private static let device = TrackedDevice(app: "news", campaign: 7, index: 3, registered: 9)
}
