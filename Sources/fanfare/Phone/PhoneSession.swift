import Campaigns
import FanfareKit
import Foundation

/// A phone in use: the app's delegate and presenters, and the person in front of it.
///
/// Like an app, it uses the kit's public API only.
@MainActor final class PhoneSession {
    /// The result of an order.
    enum Outcome: Equatable {
        case done
        /// The order is impossible, for a reason that includes the fix.
        case impossible(String)
        /// The awaited event did not occur.
        case late(String)
        case over
    }

    let fanfare: FanfareKit.Fanfare
    let folder: PhoneFolder
    let isJSON: Bool
    private let network: PhoneNetwork?
    private let line: PushLine?
    private let foreground = PhoneForeground()
    private let notifier = PhoneNotifier()
    private var area: String?
    private var (isDark, textSize) = (false, TextSize.large)
    /// English, regardless of the terminal's language, so that scripts always read the same.
    private var language = "en"
    private var isTakingData = true
    private var ownMessages = 0
    private var isActive = false
    private var isOnline = true
    private var following: Task<Void, Never>?
    private var awaitedPushes = 0
    private var arrivedPushes = 0
    private var screen: PhoneScreen {
        didSet {
            do { try folder.keep(screen) } catch { say(PhoneLine("log", "the screen cannot be kept: \(error)")) }
        }
    }

    /// The server, the simulator, and the phone's options.
    struct Setting {
        var integrationKey: String
        var server: String
        var network: PhoneNetwork?
        var line: PushLine?
        var isJSON: Bool
        /// Seconds between two in-app messages that appear by themselves.
        var inAppInterval: TimeInterval = 30
    }

    init(_ setting: Setting, folder: PhoneFolder, screen: PhoneScreen) throws {
        self.folder = folder
        self.screen = screen
        (network, line, isJSON) = (setting.network, setting.line, setting.isJSON)
        var options = FanfareOptions()
        options.folder = folder.kit
        options.inApp.interval = setting.inAppInterval
        // An order of its own decides whether the app or the system shows a push in the foreground.
        options.looks = [.campaigns, .messages]
        fanfare = try FanfareKit.Fanfare.start(
            integrationKey: setting.integrationKey,
            server: setting.server,
            options: options,
            delegate: foreground
        )
        (foreground.session, notifier.session) = (self, self)
        fanfare.presenters.drawer = foreground
        fanfare.presenters.language = language
        fanfare.presenters.links = { [weak self] in
            self?.say(PhoneLine("link", "opens \($0)", ["link": .string($0)]))
        }
        fanfare.presenters.badge = { [weak self] in self?.setBadge($0) }
        fanfare.presenters.notification = { [weak self] notification, _ in self?.notifyLocally(notification) }
        fanfare.onDataPush { [weak self] push in await self?.take(push) ?? false }
    }

    private func take(_ push: FanfareKit.DataPush) -> Bool {
        let text = "data push \(push.category ?? "(no category)"): \(push.bytes.count) bytes"
        say(
            PhoneLine(
                "data_push",
                isTakingData ? text : text + ", declined",
                [
                    "category": push.category.map(JSONValue.string), "bytes": .number(JSONNumber(push.bytes.count)),
                    "taken": .bool(isTakingData),
                ]
            )
        )
        return isTakingData
    }

    func say(_ line: PhoneLine) { line.write(isJSON: isJSON) }

    /// Draws a look.
    func say(_ look: Look, media: URL? = nil) {
        say(PhoneLine(look, LookStyle(look, isDark: isDark, textSize: textSize), media: media))
    }

    /// Draws a notification inside the app.
    func say(_ notification: InAppNotification) {
        let look = Look(notification, categories: ActionCategory.standard, language: language)
        say(look, media: notification.media)
    }

    /// Switches the phone on: it reports its identity and begins to receive pushes.
    func begin(inFront: Bool) async throws {
        let id = await fanfare.deviceID()?.uuidString.lowercased() ?? ""
        let count = screen.notifications.count
        say(
            PhoneLine(
                "phone",
                "phone \(id), \(count == 1 ? "1 notification" : "\(count) notifications") on its screen",
                ["device": .string(id), "notifications": .number(JSONNumber(count))]
            )
        )
        try await line?.set(isOnline: true)
        fanfare.setToken(screen.token)
        fanfare.setPermission(.authorized)
        if inFront { becomeActive() }
        following = Task { [weak self] in
            while !Task.isCancelled, await self?.follow() != nil {
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    private func becomeActive() {
        guard !isActive else { return }
        isActive = true
        fanfare.didBecomeActive()
    }

    // MARK: - Pushes

    /// Handles new pushes; a simulator that does not answer counts as one that has none.
    private func follow() async {
        guard let line, isOnline, let arrivals = try? await line.take() else { return }
        for arrival in arrivals { await arrived(arrival) }
    }

    private func arrived(_ arrival: PushLine.Arrival) async {
        guard let userInfo = Self.userInfo(arrival.payload) else { return }
        let count = ((userInfo["aps"] as? [String: Any])?["badge"] as? NSNumber)?.intValue
        if let count { setBadge(count) }
        // In the background the system shows it by itself; in the foreground it asks the app after delivery.
        if arrival.isShown, !isActive { add(arrival) }
        let result = await fanfare.received(userInfo)
        if !arrival.isShown { say(PhoneLine("silent", "a push without a notification: \(result)")) }
        if arrival.isShown, isActive, await fanfare.displayed(userInfo).contains(.list) { add(arrival) }
        arrivedPushes += 1
    }

    private func add(_ arrival: PushLine.Arrival) {
        let number = screen.add(payload: arrival.payload, displayKey: arrival.displayKey)
        if let shown = screen.notification(number) { show(shown) }
    }

    private static func userInfo(_ payload: String) -> [AnyHashable: Any]? {
        try? JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: Any]
    }

    /// Shows a notification of the kit's own, after a silent push.
    private func notifyLocally(_ notification: LocalNotification) {
        guard let payload = try? JSONEncoder().encode(JSON.object(notification.userInfo)) else { return }
        let number = screen.add(
            payload: String(decoding: payload, as: UTF8.self),
            displayKey: notification.id,
            own: PhoneScreen.Texts(title: notification.title, body: notification.body)
        )
        if let shown = screen.notification(number) { show(shown) }
    }

    private func setBadge(_ count: Int) {
        screen.badge = count
        // A count of 0 removes the app's notifications, whoever sets it.
        if count == 0 { screen.clear() }
        say(
            PhoneLine(
                "badge",
                "the icon shows \(count == 0 ? "no count" : "\(count)")",
                ["count": .number(JSONNumber(count))]
            )
        )
    }

    private func responded(
        to number: Int?,
        _ body: (_ userInfo: [AnyHashable: Any], _ push: PushMessage?) async -> Void
    ) async -> Outcome {
        guard let notification = screen.notification(number) else {
            return .impossible(
                number.map { "there is no notification \($0); show lists them" } ?? "nothing is on the screen"
            )
        }
        guard let userInfo = Self.userInfo(notification.payload) else { return .impossible("it cannot be read") }
        screen.remove(notification.number)
        await body(userInfo, PushMessage(userInfo))
        return .done
    }

    // MARK: - Orders

    /// Carries out a person's order.
    func perform(_ order: PhoneOrder) async -> Outcome {
        switch order {
        case .help: for entry in PhoneOrder.catalogue { say(PhoneLine("help", "\(entry.form): \(entry.meaning)")) }
        case .show: show()
        case .tap(let number): return await tap(number)
        case .press(let button, let number): return await press(button, number)
        case .dismiss(let number):
            if number == nil, isActive, notifier.end({ $0.exited() }) { return .done }
            return await responded(to: number) { userInfo, _ in await fanfare.dismissed(userInfo) }
        case .act: return foreground.act(nil)
        case .leave: return foreground.ended(.exited)
        case .answer(let answers): return foreground.answer(answers)
        case .answerDefaults: return foreground.answerDefaults()
        case .close: return foreground.closed(.exited)
        case .background:
            isActive = false
            fanfare.willResignActive()
        case .foreground: becomeActive()
        case .event(let name, let properties): fanfare.log(.custom(name, properties))
        case .purchase(let product, let price, let currency, let properties):
            fanfare.log(.purchase(product, price: price, currency: currency, properties))
        case .offline: return await goOffline()
        case .online: return await goOnline()
        case .user(let key): fanfare.setUser(key)
        case .tag(let tag): fanfare.addTags([tag])
        case .untag(let tag): fanfare.removeTags([tag])
        case .badge(let count): fanfare.setBadge(count)
        case .permission(let permission): fanfare.setPermission(permission)
        case .keyboard, .turn, .choose, .next, .local, .data, .notifier, .area, .screen, .language: change(order)
        case .wait(let awaited, let seconds): return await wait(for: awaited, seconds)
        case .quit: return .over
        }
        return .done
    }

    /// Changes the app's surroundings or its own decisions.
    private func change(_ order: PhoneOrder) {
        switch order {
        case .keyboard(let isUp): fanfare.keyboard(isUp: isUp)
        case .turn(let orientation): fanfare.orientation(orientation)
        case .choose(let choice): foreground.choice = choice
        case .next: fanfare.displayNext()
        case .local(let layout, let text):
            ownMessages += 1
            var message = FanfareKit.InAppMessage(id: "own-\(ownMessages)", message: text)
            message.layout = layout
            fanfare.display(message)
        case .data(let isTaken): isTakingData = isTaken
        case .notifier(let habit):
            notifier.habit = habit
            fanfare.presenters.notifiers[""] = habit == .off ? nil : notifier
        case .area(let name):
            if let area { fanfare.presenters.withdrawArea(area) }
            area = name
            if let name { fanfare.presenters.offerArea(name) }
        case .screen(let screen):
            switch screen {
            case .light, .dark: isDark = screen == .dark
            case .usual, .large: textSize = screen == .large ? .accessibility3 : .large
            }
        case .language(let code):
            language = code
            fanfare.presenters.language = code
        default: break
        }
    }

    private func show() {
        for notification in screen.notifications { show(notification) }
        if let campaign = foreground.campaign { say(campaign.look) }
        if let message = foreground.message { say(message.look) }
        if let notification = notifier.notification { say(notification) }
        if screen.notifications.isEmpty, foreground.campaign == nil, foreground.message == nil,
            notifier.notification == nil
        {
            say(PhoneLine("empty", "nothing is on the screen"))
        }
    }

    private func show(_ notification: PhoneScreen.Notification) {
        let push = Self.userInfo(notification.payload).flatMap { PushMessage($0) }
        say(PhoneLine(notification, push))
    }

    private func tap(_ number: Int?) async -> Outcome {
        if number == nil, isActive, foreground.message != nil { return foreground.tap() }
        if number == nil, isActive, notifier.end({ $0.actioned() }) { return .done }
        return await responded(to: number) { userInfo, _ in
            becomeActive()
            await fanfare.opened(userInfo)
        }
    }

    private func press(_ button: String, _ number: Int?) async -> Outcome {
        if number == nil, isActive, foreground.message != nil { return foreground.press(button) }
        if number == nil, isActive, notifier.end({ $0.actioned(button) }) { return .done }
        if number == nil, isActive, foreground.campaign != nil { return foreground.act(button) }
        return await responded(to: number) { userInfo, push in
            let category = ActionCategory.standard.first { $0.id == push?.category }
            if category?.actions.first(where: { $0.id == button })?.opensApp ?? true { becomeActive() }
            await fanfare.opened(userInfo, action: button)
        }
    }

    private func goOffline() async -> Outcome {
        guard let network else { return .impossible("a phone with an https server cannot be cut off; use an http one") }
        isOnline = false
        network.isThere = false
        do { try await line?.set(isOnline: false) } catch { return .impossible("the simulator is not told: \(error)") }
        say(PhoneLine("network", "offline", ["online": .bool(false)]))
        return .done
    }

    private func goOnline() async -> Outcome {
        guard !isOnline else { return .done }
        network?.isThere = true
        isOnline = true
        do { try await line?.set(isOnline: true) } catch { return .impossible("the simulator is not told: \(error)") }
        fanfare.networkReturned()
        say(PhoneLine("network", "online", ["online": .bool(true)]))
        return .done
    }

    private func wait(for awaited: PhoneOrder.Awaited, _ seconds: Int) async -> Outcome {
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            if await isThere(awaited) { return .done }
            do { try await Task.sleep(for: .milliseconds(50)) } catch { break }
        }
        return .late("\(awaited.rawValue) did not come within \(seconds) s")
    }

    private func isThere(_ awaited: PhoneOrder.Awaited) async -> Bool {
        switch awaited {
        case .registered: return await fanfare.isRegistered() == true
        case .campaign: return foreground.campaign != nil
        case .message: return foreground.message != nil
        case .banner: return notifier.notification != nil
        case .sent: return await fanfare.waitingEvents() == 0
        case .push:
            guard arrivedPushes > awaitedPushes else { return false }
            awaitedPushes += 1
            return true
        }
    }

    /// Ends the app; unsent events are kept.
    func end() async {
        following?.cancel()
        let waiting = await fanfare.waitingEvents() ?? 0
        if waiting > 0 {
            let text = waiting == 1 ? "1 event is kept" : "\(waiting) events are kept"
            say(PhoneLine("kept", "\(text) for the next start", ["events": .number(JSONNumber(waiting))]))
        }
        fanfare.stop()
    }
}
