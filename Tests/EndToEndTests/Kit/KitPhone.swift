import FanfareKit
import Foundation
import Simulator
import Testing

/// An app with FanfareKit, using its public API as an app's delegate and presenters do.
@MainActor final class KitPhone: FanfareDelegate, CampaignPresenter, InAppPresenter, InAppNotifier {
    /// The end of an announcement's view.
    enum End: Equatable {
        case acted(String?)
        case left
        case refused(String)
        /// The view disappears without a report.
        case vanished
        case answered([String: [String]])
    }

    /// A notifier's treatment of a notification.
    enum Notifier {
        case draws, declines
    }

    /// A person's immediate reaction to a notification inside the app.
    enum Answer {
        case dismissed, tapped
    }

    /// A handler's treatment of a data push.
    enum DataAnswer: CaseIterable {
        case taken, declined, failed
    }

    /// The error of a failing handler.
    struct HandlerFailure: Error {}

    let token: String
    let folder: URL
    /// The kit; nil while the app is not running.
    private(set) var fanfare: FanfareKit.Fanfare?
    private(set) var results: [RegistrationResult] = []
    private(set) var presented: [PresentedCampaign] = []
    private(set) var shown: [(message: InAppMessage, close: @MainActor (InAppClosing) -> Void)] = []
    /// The notification that is drawn inside the app.
    private(set) var told: InAppNotification?
    /// The number of notifications that were drawn inside the app.
    private(set) var toldCount = 0
    private(set) var links: [String] = []
    private(set) var contents: [RichContent] = []
    /// Notifications that the kit shows itself.
    private(set) var notifications: [LocalNotification] = []
    /// The immediate end of a presented announcement or poll; nil for none.
    var end: End?
    /// True if the app presents announcements and polls.
    var hasPresenter = true
    /// The treatment of notifications inside the app; with nil nobody draws them, and the system shows them.
    var notifier: Notifier?
    /// The immediate reaction to a notification that is drawn inside the app; nil for none.
    var answer: Answer?
    /// The choices in every presented poll, which replace `end`; nil for `end`.
    var choices: [String: [String]]?
    /// The treatment of data pushes; nil if nobody handles them.
    var dataPushes: DataAnswer?
    /// The seconds in the background after which a session ends.
    var sessionTimeout: TimeInterval = 30

    init(token: String, folder: String) {
        self.token = token
        self.folder = URL(fileURLWithPath: folder, isDirectory: true)
    }

    /// Starts the app.
    func start(_ server: String, key: String) throws {
        var options = FanfareOptions()
        options.folder = folder
        options.sessionTimeout = sessionTimeout
        let fanfare = try FanfareKit.Fanfare.start(
            integrationKey: key,
            server: server,
            options: options,
            delegate: self
        )
        self.fanfare = fanfare
        if hasPresenter { fanfare.presenters.campaigns[""] = self }
        for layout in InAppMessage.Layout.allCases { fanfare.presenters.inApp[layout] = self }
        fanfare.presenters.links = { [weak self] in self?.links.append($0) }
        fanfare.presenters.notification = { [weak self] notification, _ in self?.notifications.append(notification) }
        if notifier != nil { fanfare.presenters.notifiers[""] = self }
        if let answer = dataPushes {
            fanfare.onDataPush { _ in
                if answer == .failed { throw HandlerFailure() }
                return answer == .taken
            }
        }
        fanfare.setToken(token)
    }

    /// Ends the app as the system does, without time for a report.
    func kill() async throws {
        let fanfare = try #require(fanfare)
        // Lets the app finish the work it had begun.
        await fanfare.settled()
        fanfare.stop()
        self.fanfare = nil
    }

    /// Returns the kit; the app must be running.
    func kit() throws -> FanfareKit.Fanfare { try #require(fanfare) }

    var isRegistered: Bool { results.last?.status == .registered }

    // MARK: - Calls from the system, with a payload as APNs delivered it

    @discardableResult func received(_ payload: String) async throws -> FetchResult {
        try await kit().received(userInfo(payload))
    }

    /// Delivers a push while the app is in front; returns what the system is to show.
    @discardableResult func displayed(_ payload: String) async throws -> NotificationPresentation {
        try await kit().displayed(userInfo(payload))
    }

    func tapped(_ payload: String, button: String? = nil) async throws {
        try await kit().opened(userInfo(payload), action: button)
    }

    func dismissed(_ payload: String) async throws { try await kit().dismissed(userInfo(payload)) }

    private func userInfo(_ payload: String) throws -> [AnyHashable: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: Any])
    }

    // MARK: - Calls from the kit

    func fanfare(_ fanfare: FanfareKit.Fanfare, didRegister result: RegistrationResult) { results.append(result) }

    func fanfare(_ fanfare: FanfareKit.Fanfare, content state: RichContentState, of push: PushMessage) {
        if case .ready(let content) = state { contents.append(content) }
    }

    func present(_ campaign: PresentedCampaign) {
        presented.append(campaign)
        if let choices, campaign.poll != nil {
            campaign.displayed()
            return campaign.answered(choices)
        }
        guard let end else { return campaign.displayed() }
        if case .refused(let reason) = end { return campaign.dropped(reason) }
        campaign.displayed()
        switch end {
        case .acted(let button): campaign.actioned(button)
        case .left: campaign.exited()
        case .vanished: campaign.disappeared()
        case .answered(let answers): campaign.answered(answers)
        case .refused: break
        }
    }

    func show(_ message: InAppMessage, close: @escaping @MainActor (InAppClosing) -> Void) {
        shown.append((message, close))
    }

    func hide(_ message: InAppMessage) {}

    func show(_ notification: InAppNotification) -> Bool {
        guard notifier == .draws else { return false }
        told = notification
        toldCount += 1
        switch answer {
        case .dismissed: notification.exited()
        case .tapped: notification.actioned()
        case nil: break
        }
        return true
    }

    func hide(_ notification: InAppNotification) {}
}

extension PrivateFleet {
    /// Returns the payloads of a campaign that devices received, by their tokens.
    func payloads(of campaign: String) -> [String: String] {
        var payloads: [String: String] = [:]
        for request in simulator.lastRequests where request.status == 200 {
            let text = String(decoding: request.payload, as: UTF8.self)
            guard text.contains("\"c\":\"\(campaign)\"") else { continue }
            payloads[String(request.path.dropFirst("/3/device/".count))] = text
        }
        return payloads
    }
}
