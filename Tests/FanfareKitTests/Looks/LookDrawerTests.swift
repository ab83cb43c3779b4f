import Foundation
import Testing

@testable import FanfareKit

/// The drawer of everything that the app does not draw itself: from the phone to the drawer and back.
@Suite @MainActor final class LookDrawerTests {
    /// A drawer that keeps everything it is given.
    @MainActor private final class Drawer: LookDrawer {
        var shown: [(look: Look, end: @MainActor (Look.End) -> Void)] = []
        var hidden: [String] = []
        var canDraw = true

        func show(_ look: Look, end: @escaping @MainActor (Look.End) -> Void) -> Bool {
            if canDraw { shown.append((look, end)) }
            return canDraw
        }
        func hide(_ look: Look) { hidden.append(look.id) }
    }

    /// A drawer like an app's own.
    @MainActor private final class Own: InAppPresenter, CampaignPresenter, InAppNotifier {
        var drawn: [String] = []
        func show(_ message: InAppMessage, close: @escaping @MainActor (InAppClosing) -> Void) {
            drawn.append("message")
        }
        func hide(_ message: InAppMessage) {}
        func present(_ campaign: PresentedCampaign) { drawn.append("campaign") }
        func show(_ notification: InAppNotification) -> Bool {
            drawn.append("notification")
            return true
        }
        func hide(_ notification: InAppNotification) {}
    }

    @MainActor private final class RecordingDelegate: FanfareDelegate {
        var links: [String] = []
        func fanfare(_ fanfare: Fanfare, shouldOpen link: String, from push: PushMessage?) -> Bool {
            links.append(link)
            return false
        }
    }

    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("looks-\(UUID().uuidString)")
    private let drawer = Drawer()
    private let recorder = RecordingDelegate()
    /// A stage holds its kit weakly.
    private var kept: [Fanfare] = []

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func kit(_ looks: FanfareOptions.Looks = .all, draws: Bool = true) throws -> (Fanfare, Stage) {
        var options = FanfareOptions()
        options.folder = folder
        options.looks = looks
        let fanfare = try Fanfare(integrationKey: "", server: "", options: options, delegate: recorder)
        fanfare.presenters.language = "es"
        if draws { fanfare.presenters.drawer = drawer }
        let stage = Stage(recorder)
        stage.fanfare = fanfare
        kept.append(fanfare)
        return (fanfare, stage)
    }

    private func page() throws -> (PushMessage, CampaignPage) {
        let push = try push(["c": "offer", "k": "announcement", "r": "r"], aps: ["alert": "x"])
        let json: JSON = .object(["body": .string("Scarves"), "action_url": .string("app://x")])
        return (push, .announcement(try #require(Announcement(json))))
    }

    @Test func `an app that draws nothing shows a message, and says how it was closed`() async throws {
        let (fanfare, _) = try kit()
        fanfare.didBecomeActive()
        fanfare.display(InAppMessage(id: "hello", header: "Hello"))
        await fanfare.settled()
        let first = try #require(drawer.shown.first)
        #expect(first.look.campaign == "hello" && first.look.title == "Hello" && first.look.crossLabel == "Cerrar")
        // While it exists, no other appears.
        fanfare.display(InAppMessage(id: "next"))
        fanfare.displayNext()
        await fanfare.settled()
        #expect(drawer.shown.count == 1)
        first.end(.exited)
        fanfare.displayNext()
        await fanfare.settled()
        #expect(drawer.shown.map(\.look.campaign) == ["hello", "next"])
        fanfare.stop()
    }

    @Test func `announcements and notifications are drawn too, and taken away again`() async throws {
        let (_, stage) = try kit()
        let (push, page) = try page()
        #expect(await stage.present(push, page))
        #expect(drawer.shown.last?.look.buttons.map(\.label) == ["Más", "Cerrar"])
        #expect(await stage.hasNotifier(push))
        #expect(await stage.tell(push) == .drawn)
        #expect(drawer.shown.map(\.look.id) == ["announcement offer", "notification offer"])
        drawer.canDraw = false
        #expect(await stage.tell(push) == .declined)
        #expect(await !stage.present(push, page))
    }

    @Test func `what the app draws itself no look is drawn of`() async throws {
        let (fanfare, stage) = try kit()
        let own = Own()
        fanfare.presenters.inApp[.modal] = own
        fanfare.presenters.campaigns[""] = own
        fanfare.presenters.notifiers[""] = own
        let (push, page) = try page()
        #expect(await stage.show(InAppMessage(id: "m")))
        #expect(await stage.present(push, page))
        #expect(await stage.tell(push) == .drawn)
        #expect(own.drawn == ["message", "campaign", "notification"] && drawer.shown.isEmpty)
        // A layout that the app omits has the kit's look.
        var slideup = InAppMessage(id: "s")
        slideup.layout = .slideup
        #expect(await stage.show(slideup))
        #expect(drawer.shown.map(\.look.id) == ["message s"])
    }

    @Test(arguments: [true, false])
    func `switched off, or with nobody to draw, there is no presenter and the system shows notifications`(
        isSwitchedOff: Bool
    ) async throws {
        let (_, stage) = try kit(isSwitchedOff ? [] : .all, draws: isSwitchedOff)
        let (push, page) = try page()
        #expect(await !stage.show(InAppMessage(id: "m")))
        #expect(await !stage.present(push, page))
        #expect(await !stage.hasNotifier(push))
        #expect(await stage.tell(push) == .nobody)
        #expect(drawer.shown.isEmpty)
    }

    @Test func `a link of a page is the delegate's to open, and counts as an action`() async throws {
        let (fanfare, _) = try kit()
        let closings = Closings()
        let isDrawn = fanfare.draw(InAppMessage(id: "m")) { closings.all.append($0) }
        #expect(isDrawn)
        let end = try #require(drawer.shown.last?.end)
        end(.followed("https://example.com"))
        end(.actioned(nil))
        end(.actioned("buy"))
        end(.exited)
        #expect(closings.all == [.button("link"), .tapped, .button("buy"), .dismissed])
        // The delegate is called in a separate task.
        for _ in 0..<100_000 where recorder.links.isEmpty { await Task.yield() }
        #expect(recorder.links == ["https://example.com"])
    }

    @MainActor private final class Closings { var all: [InAppClosing] = [] }
}
