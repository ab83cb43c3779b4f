import Foundation

extension Phone {
    static let lostFile = "lost.json"

    /// Records an event of a push, on the disk too, and sends it as soon as possible.
    func note(
        _ type: TrackedEvent.Kind,
        _ surface: TrackedEvent.Surface,
        of push: PushMessage,
        action: String? = nil,
        reason: String? = nil
    ) {
        note(type, surface, of: push.kind, messageID: push.messageID, action: action, reason: reason)
    }

    /// Records an event of a campaign of a kind.
    func note(
        _ type: TrackedEvent.Kind,
        _ surface: TrackedEvent.Surface,
        of kind: PushMessage.Kind,
        messageID: String?,
        action: String? = nil,
        reason: String? = nil
    ) {
        // A push whose sender had no key, and a message made by the app, have no id to report events under.
        guard let messageID, !messageID.isEmpty else { return }
        guard
            let event = TrackedEvent(
                type,
                surface,
                of: kind,
                messageID: messageID,
                action: action,
                reason: reason,
                at: now
            )
        else {
            let what = "\(type.rawValue) (\(surface.rawValue))"
            return lost(1, "campaigns of the kind \(kind.rawValue) have no event \(what)")
        }
        note(event)
        pump()
    }

    private func note(_ event: TrackedEvent) {
        do {
            try journal.note(event)
            let gone = outbox.add(event)
            try journal.finish(gone, rest: outbox.events)
            if !gone.isEmpty { lost(gone.count, "\(gone.count) events were dropped for lack of room") }
        } catch {
            listener.log("an event cannot be kept, and is sent from memory: \(error)")
        }
    }

    /// Counts events or answers that the server will never count, and logs the reason once.
    func lost(_ count: Int, _ text: String) {
        listener.log(text)
        lostEvents += count
        do {
            try storage.write(lostEvents, Self.lostFile)
        } catch {
            listener.log("the number of lost events cannot be kept: \(error)")
        }
    }

    /// Takes over the events that an extension of the app recorded in the meantime.
    func collect() {
        for (file, event) in inbox.read() {
            note(event)
            // Removed only after the journal has it: an event that is read twice keeps its id.
            inbox.remove(file)
        }
    }

    /// The number of events that the server has not taken yet.
    var waitingEvents: Int { outbox.events.count }

    func track() {
        guard let send = setting.track ?? setting.send, let secret = registrar.memory.secret,
            let batch = outbox.next(now: now)
        else {
            return
        }
        let body = try? TrackedEvent.encoder.encode(["events": batch])
        let asked = EdgeRequest(method: "POST", path: "/v1/tracking", bearer: secret, body: body)
        launch { phone in
            let answer: EventOutbox.Answer
            do { answer = try await send(asked).tracking } catch { answer = .unavailable(retryAfter: nil) }
            phone.trackingEnded(answer, secret: secret)
        }
    }

    private func trackingEnded(_ answer: EventOutbox.Answer, secret: String) {
        let before = outbox.events
        let done = outbox.answered(answer, now: now, chance: setting.chance())
        if case .refused(_, let reason) = answer {
            for event in before where done.contains(event.id) {
                let what = "\(event.type.rawValue) (\(event.surface.rawValue))"
                lost(1, "the server does not take the event \(what): \(reason)")
            }
        }
        do {
            try journal.finish(done, rest: outbox.events)
        } catch {
            listener.log("events that were sent cannot be removed from the journal: \(error)")
        }
        // An answer about a secret that has been replaced says nothing about the new one.
        if answer == .notRegistered, secret == registrar.memory.secret {
            listener.log("the server does not know this device; events wait until it is registered again")
            registrar.wasForgotten(spare: UUID())
            keep()
        } else if answer == .notRegistered, registrar.isRegistered {
            outbox.registered()
        }
        pump()
    }

    /// Retries everything that waits, because the network is back.
    func networkReturned() {
        registrar.networkReturned()
        outbox.networkReturned()
        answerBox.networkReturned()
        if sessionRetry != nil { sessionRetry = now }
        retryCampaigns()
        pump()
    }
}
