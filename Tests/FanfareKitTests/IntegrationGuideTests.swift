import FanfareKit
import Foundation
import Testing

// The code of the ten-minute guide, compiled: each block that needs nothing of Apple's is here word for word.

final class PushDelegate: FanfareDelegate {
    func fanfare(_ fanfare: Fanfare, didRegister result: RegistrationResult) {
        switch result.status {
        case .registered: print("registered")
        case .integrationKeyEmpty, .integrationKeyUnknown: print("the key is wrong: \(result.reason ?? "")")
        case .userNotVerified: print("log in again")
        default: print("\(result.status): \(result.reason ?? "")")
        }
    }

    func fanfare(_ fanfare: Fanfare, shouldOpen link: String, from push: PushMessage?) -> Bool {
        // Opened by the kit, unless you open it yourself and say false.
        !link.hasPrefix("news://checkout")
    }

    func fanfare(_ fanfare: Fanfare, log text: String) {
        print("FanfareKit: \(text)")
    }
}

func signedIn(_ fanfare: Fanfare, mail: String) {
    fanfare.setUser(mail)
    fanfare.addTags(["derby"])
    fanfare.setAttribute("team", .string("atleti"))
}

func signedOut(_ fanfare: Fanfare) {
    fanfare.setUser(nil)
}

func options() -> FanfareOptions {
    var options = FanfareOptions()
    options.automation = FanfareOptions.Automation.all.subtracting(.permission)
    options.badge = [.clearOnForeground, .clearOnPushInFront]
    options.categories =
        ActionCategory.standard + [
            ActionCategory(id: "LIKE_CATEGORY", actions: [.init(id: "LIKE", title: "Like", opensApp: true)])
        ]
    options.inApp.interval = 60
    return options
}

func tapped(_ userInfo: [AnyHashable: Any], button: String?, _ fanfare: Fanfare) async {
    guard fanfare.isOurs(userInfo) else { return }
    await fanfare.opened(userInfo, action: button)
}

func arrivedInFront(_ userInfo: [AnyHashable: Any], _ fanfare: Fanfare) async {
    guard fanfare.isOurs(userInfo) else { return }
    await fanfare.displayed(userInfo)
}

func cameInTheBackground(_ userInfo: [AnyHashable: Any], _ fanfare: Fanfare) async -> String {
    switch await fanfare.received(userInfo) {
    case .newData: "UIBackgroundFetchResult.newData"
    case .noData: "UIBackgroundFetchResult.noData"
    case .failed: "UIBackgroundFetchResult.failed"
    }
}

func takePrices(_ fanfare: Fanfare) {
    fanfare.onDataPush("prices") { push in
        guard !push.bytes.isEmpty else { return false }
        print("\(push.bytes.count) bytes of prices")
        return true
    }
}

final class SheetPresenter: CampaignPresenter {
    func present(_ campaign: PresentedCampaign) {
        if let announcement = campaign.announcement {
            print(announcement.title ?? "", announcement.body)
            campaign.displayed()
            // The action button was pressed; its link is opened by the kit.
            campaign.actioned()
        } else if let poll = campaign.poll, let question = poll.questions.first {
            campaign.displayed()
            campaign.answered([question.id: [question.choices[0].id]])
        } else {
            campaign.dropped("NoLayout")
        }
    }
}

func present(_ fanfare: Fanfare, _ presenter: SheetPresenter) async {
    await MainActor.run { fanfare.presenters.campaigns[""] = presenter }
    fanfare.onContent("coupon", types: ["image/png"]) { coupon, _ in print("a coupon of \(coupon.data.count) bytes") }
}

final class BannerNotifier: InAppNotifier {
    private var current: InAppNotification?

    func show(_ notification: InAppNotification) -> Bool {
        current = notification
        print(notification.title ?? "", notification.body ?? "", notification.place)
        return true
    }

    func hide(_ notification: InAppNotification) { current = nil }

    func tapped() { current?.actioned() }

    func swipedAway() { current?.exited() }
}

@MainActor func tellInside(_ fanfare: Fanfare, _ notifier: BannerNotifier) {
    fanfare.presenters.notifiers[""] = notifier
    // At the bottom, unless it is told otherwise or a view of the app's own is offered.
    fanfare.presenters.notificationPosition = .top
    fanfare.presenters.offerArea("news")
    fanfare.presenters.withdrawArea("news")
}

final class ModalPresenter: InAppPresenter {
    private var close: (@MainActor (InAppClosing) -> Void)?

    func show(_ message: InAppMessage, close: @escaping @MainActor (InAppClosing) -> Void) {
        self.close = close
        print(message.header ?? "", message.message ?? "", message.buttons.map(\.label))
    }

    func hide(_ message: InAppMessage) { close = nil }

    func pressed(_ button: InAppMessage.Button) { close?(.button(button.id)) }
}

func play(_ fanfare: Fanfare) {
    fanfare.log(.custom("level_done", ["level": .number(4)]))
    fanfare.log(.purchase("season_pass", price: 9.99, currency: "EUR"))
    fanfare.display(InAppMessage(id: "welcome", header: "Hello", message: "Nice to see you."))
}

func looks(_ options: inout FanfareOptions) {
    // The system shows pushes in front; announcements, polls and messages keep their looks.
    options.looks.remove(.notifications)
}

@MainActor func language(_ fanfare: Fanfare) {
    fanfare.presenters.language = "es"
}

final class PlainDrawer: LookDrawer {
    private var shown: (look: Look, form: PollForm, end: @MainActor (Look.End) -> Void)?

    func show(_ look: Look, end: @escaping @MainActor (Look.End) -> Void) -> Bool {
        shown = (look, PollForm(look.questions), end)
        let style = LookStyle(look, isDark: false, textSize: .large)
        print(look.title ?? "", look.text ?? "", look.buttons.map(\.label), style.hasStackedButtons)
        return true
    }

    func hide(_ look: Look) { shown = nil }

    func pressed(_ button: Look.Button) {
        guard let (look, form, end) = shown, let how = look.end(of: button.step, form) else { return }
        shown = nil
        end(how)
    }
}

@MainActor func draw(_ fanfare: Fanfare, _ drawer: PlainDrawer) {
    fanfare.presenters.drawer = drawer
}

func media(of userInfo: [AnyHashable: Any], _ groupFolder: URL) async -> URL? {
    var part = PushExtension(folder: groupFolder)
    part.seconds = 10
    guard case .success(let file)? = await part.received(userInfo) else { return nil }
    return file
}

func layout(of userInfo: [AnyHashable: Any], category: String) -> String? {
    let layouts = ContentExtensionMap(["TICKET": "ticket", "SCORE": "score"], otherwise: "plain")
    return layouts.layout(userInfo, category: category)
}

func networkIsBack(_ fanfare: Fanfare) {
    fanfare.networkReturned()
}

func activityBegan(_ token: Data, match: String, _ fanfare: Fanfare) {
    fanfare.setActivityToken(token, type: "MatchAttributes", id: match)
}

func activityIsOver(match: String, _ fanfare: Fanfare) {
    fanfare.activityEnded(type: "MatchAttributes", id: match)
}

@Suite struct IntegrationGuideTests {
    private static let root = #filePath.replacingOccurrences(
        of: "/Tests/FanfareKitTests/IntegrationGuideTests.swift",
        with: ""
    )

    @Test func `each block of the guide is compiled here, or is for Apple's systems and says so`() throws {
        let page = Self.root + "/Sources/FanfareKit/FanfareKit.docc/Integration.md"
        let text = try String(contentsOfFile: page, encoding: .utf8)
        let own = try String(contentsOfFile: #filePath, encoding: .utf8)
        let blocks = text.components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
        #expect(blocks.count > 10)
        let apple = ["SwiftUI", "UIKit", "UserNotifications", "ActivityKit"]
        for block in blocks where !apple.contains(where: { block.contains("import \($0)\n") }) {
            #expect(own.contains(block), "\(block)")
        }
    }

    @Test func `what the guide says of a data push and of options is so`() throws {
        let options = options()
        #expect(
            options.categories.map(\.id) == ["ACCEPT_DECLINE", "YES_NO", "CONFIRM_CANCEL", "MORE", "LIKE_CATEGORY"]
        )
        #expect(!options.automation.contains(.permission) && options.automation.contains(.token))
        let ours: [AnyHashable: Any] = ["fanfare": ["c": "derby"]]
        #expect(layout(of: ours, category: "TICKET") == "ticket" && layout(of: ours, category: "x") == "plain")
        #expect(layout(of: ["aps": [:] as [String: Any]], category: "TICKET") == nil)
    }
}
