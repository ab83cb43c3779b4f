import Campaigns
import HTTPTypes
import Settings
import Store
import WebServing

/// Phones' reports about pushes, and answers to polls: checked, published to the broker, answered after its confirm.
enum TrackingRoutes {
    /// The path that phones use in a rush.
    static let path = "/v1/tracking"
    static let operation = "trackEvents"

    static let all: [Route<EdgeResponder>] = [
        Route(.post, PathTemplate(stringLiteral: path), .device, operation, track),
        Route(.post, "/v1/polls/{id}/answers", .device, "answerPoll", answer),
    ]

    /// The answer to every phone of a rush.
    static let taken = ReadyAnswer(["status": "accepted"], .accepted)
    /// The refusal while the broker takes nothing, or its confirm is missing; a phone retries after some seconds.
    static let later = EdgeRefusal(
        .serviceUnavailable,
        .unexpectedError,
        "the broker accepts nothing at present; send it again, it counts once",
        headers: [.retryAfter: "5"]
    )

    private static func track(_ call: Call<EdgeResponder>, _ core: EdgeCore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let body = try await BodyReader.json(call.request, upTo: TrackingRequest.bytesMax)
        let request = TrackingRequest(body, now: core.ledger.now())
        guard request.problems.isEmpty else { throw EdgeRefusal(request.problems) }
        var entries: [TrackingBatch.Entry] = []
        entries.reserveCapacity(request.events.count)
        for event in request.events {
            let device = try device(event.messageID, at: "/events/\(event.index)/m", call)
            entries.append(.event(TrackingEvent(event, of: device)))
        }
        return try await publish(entries, core)
    }

    private static func answer(_ call: Call<EdgeResponder>, _ core: EdgeCore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let body = try await BodyReader.json(call.request, upTo: PollAnswersRequest.bytesMax)
        let request = PollAnswersRequest(body, now: core.ledger.now())
        guard request.problems.isEmpty else { throw EdgeRefusal(request.problems) }
        let device = try Self.device(request.messageID, at: "/m", call)
        // A poll is not found for a device without its push: nobody learns of one before its release.
        guard let poll = try await core.polls.poll(call.parameter("id"), app: call.app.name),
            poll.campaign == device.campaign
        else {
            let id = NameRule.shown(call.parameter("id"))
            let reason =
                "there is no poll \(id), or m is not of it; send fanfare.m of the push that this poll came with"
            throw EdgeRefusal(.notFound, .unexpectedError, reason, pointer: "/m")
        }
        let problems = request.problems(against: poll.form)
        guard problems.isEmpty else { throw EdgeRefusal(problems) }
        let answers = PollAnswers(device: device, answers: request.answers, at: request.at)
        return try await publish([.answers(answers)], core)
    }

    /// Returns the contents of a message id that the app's key signed; refuses forged ones and those of other apps.
    private static func device(
        _ messageID: String,
        at pointer: String,
        _ call: Call<EdgeResponder>
    ) throws(EdgeRefusal) -> TrackedDevice {
        guard let device = TrackedDevice(messageID: messageID, sentBy: call.device, of: call.app) else {
            let reason = "m was not signed for this app; send fanfare.m of the push as it came"
            throw EdgeRefusal(.unprocessableContent, .unexpectedError, reason, pointer: pointer)
        }
        return device
    }

    /// Returns 202 when the broker has confirmed everything; throws 503 otherwise, so that the phone sends again.
    private static func publish(
        _ entries: [TrackingBatch.Entry],
        _ core: EdgeCore
    ) async throws(EdgeRefusal) -> HTTPAnswer {
        switch await core.tracking.take(entries) {
        case .taken: return taken.answer
        case .later: throw later
        }
    }
}
