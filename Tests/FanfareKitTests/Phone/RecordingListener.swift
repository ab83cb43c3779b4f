import Foundation

@testable import FanfareKit

/// Records every call of a phone, and answers as configured.
///
/// Safety: the lock guards all mutable state.
final class RecordingListener: PhoneListener, @unchecked Sendable {
    private let lock = NSLock()
    private var said: [String] = []
    private var logged: [String] = []
    private var shown: [LocalNotification] = []
    /// The answer; set before the first question.
    private let choice: InAppChoice
    private let draws: Bool
    private let notifies: NotifierAnswer

    init(choice: InAppChoice = .now, draws: Bool = true, notifies: NotifierAnswer = .nobody) {
        self.choice = choice
        self.notifies = notifies
        self.draws = draws
    }

    private func say(_ text: String) { lock.withLock { said.append(text) } }

    /// Returns the calls since the last time.
    func heard() -> [String] {
        lock.withLock {
            defer { said = [] }
            return said
        }
    }

    var logs: [String] { lock.withLock { logged } }
    var notifications: [LocalNotification] { lock.withLock { shown } }

    func registered(_ result: RegistrationResult) { say("registration \(result.status.rawValue)") }
    func log(_ text: String) { lock.withLock { logged.append(text) } }
    func open(_ link: String, from push: PushMessage?) { say("open \(link)") }
    func choose(_ message: InAppMessage) async -> InAppChoice {
        say("choose \(message.id)")
        return choice
    }
    func show(_ message: InAppMessage) async -> Bool {
        if draws { say("show \(message.id)") }
        return draws
    }
    func hide(_ message: InAppMessage) { say("hide \(message.id)") }
    func discarded(_ message: InAppMessage, _ reason: InAppDiscardReason) {
        say("discard \(message.id) \(reason.rawValue)")
    }
    func noMatchingTrigger(_ event: AppEvent) { say("no trigger") }
    func present(_ push: PushMessage, _ page: CampaignPage) async -> Bool {
        if draws { say("present \(push.campaign)") }
        return draws
    }
    func postponed(_ push: PushMessage) { say("postponed \(push.campaign)") }
    func hasNotifier(_ push: PushMessage) async -> Bool { notifies != .nobody }
    func tell(_ push: PushMessage) async -> NotifierAnswer {
        say("tell \(push.campaign)")
        return notifies
    }
    func hide(_ push: PushMessage) { say("hide \(push.campaign)") }
    func contentChanged(_ push: PushMessage, _ state: RichContentState) {
        switch state {
        case .fetching: say("content fetching")
        case .ready(let content): say("content ready \(content.contentType)")
        case .failed(let problem): say("content failed \(problem)")
        }
    }
    func setBadge(_ count: Int) { say("badge \(count)") }
    func notify(_ notification: LocalNotification, _ content: RichContent) async -> Bool {
        lock.withLock { shown.append(notification) }
        return draws
    }
    func session(_ id: UUID, _ change: SessionChange) { say("session \(change)") }
}
