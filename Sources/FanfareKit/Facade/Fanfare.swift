public import Foundation

/// The phone's part of Fanfare: registration, pushes, tracking, rich content, in-app messages.
///
/// One line starts it, and it does by itself what the options say:
///
///     let fanfare = try Fanfare.start(integrationKey: "…", server: "https://push.example.com")
///
/// Every part has calls to do it by hand too. They may be made from any thread, and take effect in the order in which
/// they were made; those that return something wait for it.
public final class Fanfare: Sendable {
    /// What was started last, for code that nobody hands anything to, such as an app delegate.
    ///
    ///     Fanfare.shared?.log(.custom("goal"))
    @MainActor public private(set) static var shared: Fanfare?

    /// The app's parts that draw messages, campaigns and notifications.
    public let presenters = Presenters()
    let options: FanfareOptions
    #if canImport(UserNotifications)
    /// What the system holds weakly and the kit has to keep.
    @MainActor let kept = KeptObjects()
    #endif
    let phone: Phone
    private let assets: AssetStore
    private let names: KnownNames
    private let stage: Stage
    private let orders: AsyncStream<@Sendable (Phone) async -> Void>.Continuation
    private let worker: Task<Void, Never>

    /// Starts the kit; `server` is the address of the edge.
    ///
    ///     let fanfare = try Fanfare.start(integrationKey: key, server: "https://push.example.com", delegate: self)
    ///
    /// An empty key or server is no error but a status that the delegate hears, as everything that goes wrong later.
    /// Throws when the folder of the options cannot be made.
    @MainActor public static func start(
        integrationKey: String,
        server: String,
        options: FanfareOptions = FanfareOptions(),
        delegate: (any FanfareDelegate)? = nil
    ) throws -> Fanfare {
        let fanfare = try Fanfare(integrationKey: integrationKey, server: server, options: options, delegate: delegate)
        shared = fanfare
        #if canImport(UserNotifications)
        fanfare.automate()
        #endif
        return fanfare
    }

    @MainActor init(
        integrationKey: String,
        server: String,
        options: FanfareOptions,
        delegate: (any FanfareDelegate)?
    ) throws {
        self.options = options
        stage = Stage(delegate)
        let connection = Self.connection(server)
        let assets = AssetStore(options.folder)
        self.assets = assets
        let names = KnownNames(options.folder, given: options.payloadNames)
        self.names = names
        var setting = Phone.Setting(integrationKey: integrationKey, options: options, assets: assets, names: names)
        if let connection { setting.send = { try await connection.send($0) } }
        if let tracking = options.trackingServer {
            if let connection = Self.connection(tracking) {
                setting.track = { try await connection.send($0) }
            } else {
                stage.log("trackingServer is no address: events go to the server")
            }
        }
        if options.automation.contains(.place) { setting.place = { Place.current() } }
        let phone = try Phone(setting, listener: stage)
        self.phone = phone
        let (stream, orders) = AsyncStream.makeStream(of: (@Sendable (Phone) async -> Void).self)
        self.orders = orders
        worker = Task { for await order in stream { await order(phone) } }
        stage.fanfare = self
        order { await $0.start() }
    }

    deinit { orders.finish() }

    private static func connection(_ server: String) -> EdgeConnection? {
        URL(string: server).flatMap { $0.host == nil ? nil : EdgeConnection(server: $0) }
    }

    /// Does it after everything that was said before.
    func order(_ body: @escaping @Sendable (Phone) async -> Void) { orders.yield(body) }

    /// Returns when everything that was said before has been done.
    private func caughtUp() async {
        await withCheckedContinuation { continuation in
            if case .terminated = orders.yield({ _ in continuation.resume() }) { continuation.resume() }
        }
    }

    /// Returns when nothing is under way: what could be sent has been sent, or waits for its next try.
    ///
    ///     await fanfare.settled()
    public func settled() async {
        await caughtUp()
        await phone.settled()
    }

    /// What the phone says after everything that was said before; nil once the kit was stopped.
    func asked<Value: Sendable>(_ body: @escaping @Sendable (Phone) async -> Value) async -> Value? {
        await withCheckedContinuation { continuation in
            let result = orders.yield { continuation.resume(returning: await body($0)) }
            if case .terminated = result { continuation.resume(returning: nil) }
        }
    }

    /// Ends the kit: nothing is sent or shown any more; what was noted is kept for the next start.
    ///
    ///     fanfare.stop()
    public func stop() {
        order { await $0.stop() }
        orders.finish()
    }

    // MARK: - Registration

    /// Tells the token that APNs gave to `application(_:didRegisterForRemoteNotificationsWithDeviceToken:)`.
    ///
    ///     fanfare.setToken(deviceToken)
    public func setToken(_ token: Data) {
        setToken(token.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())
    }

    /// Tells a token that is a text, as FCM's are.
    ///
    ///     fanfare.setToken(fcmToken)
    public func setToken(_ token: String) { order { await $0.change { $0.token = token } } }

    /// Tells who uses the app; nil is a log-out.
    ///
    /// `proof` is the token of the app's own back end, where the app's settings ask for one.
    ///
    ///     fanfare.setUser("ana@example.com", proof: jwt)
    public func setUser(_ key: String?, proof: String? = nil) {
        order { await $0.setUser(key, proof: proof) }
    }

    /// Adds tags to the device.
    ///
    ///     fanfare.addTags(["derby"])
    public func addTags(_ tags: [String]) { order { await $0.change { $0.tags.formUnion(tags) } } }

    /// Takes tags from the device.
    ///
    ///     fanfare.removeTags(["derby"])
    public func removeTags(_ tags: [String]) { order { await $0.change { $0.tags.subtract(tags) } } }

    /// Sets an attribute of the device, a text, a number, true or false; one that is set stays, with null it is empty.
    ///
    ///     fanfare.setAttribute("team", .string("atleti"))
    public func setAttribute(_ name: String, _ value: JSON) {
        order { await $0.change { $0.attributes[name] = value } }
    }

    /// Tells the person's language and region, such as `es-ES`, and time zone, such as `Europe/Madrid`.
    ///
    ///     fanfare.setPlace(locale: "es-ES", timeZone: "Europe/Madrid")
    public func setPlace(locale: String?, timeZone: String?) {
        order { await $0.change { ($0.locale, $0.timeZone) = (locale, timeZone) } }
    }

    /// Tells the app's version, such as `3.2.0`.
    ///
    ///     fanfare.setAppVersion("3.2.0")
    public func setAppVersion(_ version: String) { order { await $0.change { $0.appVersion = version } } }

    /// Has the server forget this device, and forgets what is kept here: registration, events, answers, contents.
    ///
    /// Nothing is sent afterwards before the app tells a token again.
    ///
    ///     if case .failed(let reason) = await fanfare.forget() { show("Try again later: \(reason)") }
    public func forget() async -> ForgetResult {
        await caughtUp()
        return await phone.forget()
    }

    /// What the person allows.
    public enum Permission: String, Sendable, Hashable, CaseIterable {
        case authorized, provisional, denied, unknown
    }

    /// Tells what the person allows the app to show.
    ///
    ///     fanfare.setPermission(.authorized)
    public func setPermission(_ permission: Permission) {
        order { await $0.change { $0.permission = permission.rawValue } }
    }

    /// Sets the count on the icon, here and on the server.
    ///
    ///     fanfare.setBadge(0)
    public func setBadge(_ count: Int) {
        order { phone in
            phone.listener.setBadge(count)
            await phone.badgeWasSet(count)
        }
    }

    // MARK: - Pushes

    /// Reads a push's user info, under the names of the app's own too; nil when it is somebody else's.
    ///
    ///     let push = fanfare.push(response.notification.request.content.userInfo)
    public func push(_ userInfo: [AnyHashable: Any]) -> PushMessage? {
        PushMessage(members: JSON.members(userInfo), names.names)
    }

    /// Tells whether a user info is of a push that Fanfare sent.
    ///
    ///     guard fanfare.isOurs(userInfo) else { return otherSDK.handle(userInfo) }
    public func isOurs(_ userInfo: [AnyHashable: Any]) -> Bool { push(userInfo) != nil }

    /// A push came; returns when what it brought is there.
    ///
    ///     let result = await fanfare.received(userInfo)
    public func received(_ userInfo: [AnyHashable: Any]) async -> FetchResult {
        guard let push = push(userInfo) else { return .noData }
        await caughtUp()
        return await phone.received(push)
    }

    /// A push came while the app is in front: what the system is to show of it.
    ///
    ///     let shown = await fanfare.displayed(notification.request.content.userInfo)
    @discardableResult public func displayed(_ userInfo: [AnyHashable: Any]) async -> NotificationPresentation {
        await displayed(push(userInfo))
    }

    /// The same of a push that was read; nil is somebody else's.
    func displayed(_ push: PushMessage?) async -> NotificationPresentation {
        guard let push else { return .all }
        await caughtUp()
        return await phone.displayed(push)
    }

    /// A notification was tapped, or one of its buttons was pressed.
    ///
    ///     await fanfare.opened(userInfo, action: "LIKE")
    public func opened(_ userInfo: [AnyHashable: Any], action: String? = nil) async {
        await responded(action.map { .action($0) } ?? .opened, to: push(userInfo))
    }

    /// A notification was swiped away.
    ///
    ///     await fanfare.dismissed(userInfo)
    public func dismissed(_ userInfo: [AnyHashable: Any]) async { await responded(.dismissed, to: push(userInfo)) }

    /// A person did something with a push that was read; nil is somebody else's.
    func responded(_ response: PushResponse, to push: PushMessage?) async {
        guard let push else { return }
        await caughtUp()
        await phone.responded(response, to: push)
    }

    /// The content that a push names, from the server or from the cache.
    ///
    ///     if case .success(let coupon) = await fanfare.content(of: push) { show(coupon.data) }
    public func content(of push: PushMessage) async -> Result<RichContent, RichContentProblem> {
        await caughtUp()
        return await phone.fetch(push)
    }

    /// Says who takes rich content of a type when it was opened from a push; the empty type is for all others.
    ///
    /// Content that is none of `types` (all when empty) or has more than `bytesMax` bytes is not let through: the delegate
    /// hears that it failed. The server takes no content of more than 2 MiB.
    ///
    ///     fanfare.onContent("coupon", types: ["image/png"]) { coupon, push in await show(coupon.data) }
    public func onContent(
        _ type: String = "",
        types: Set<String> = [],
        bytesMax: Int = 2 * 1024 * 1024,
        _ take: @escaping @Sendable (RichContent, PushMessage) async -> Void
    ) {
        order { await $0.setHandler(RichContentHandler(types: types, bytesMax: bytesMax, take: take), for: type) }
    }

    /// Says who takes data pushes of a category; the empty one is for all others.
    ///
    ///     fanfare.onDataPush("prices") { push in try prices.update(push.bytes); return true }
    public func onDataPush(_ category: String = "", _ handler: @escaping DataPushHandler) {
        order { await $0.setHandler(handler, for: category) }
    }

    // MARK: - Sessions and in-app messages

    /// The app came to the front.
    ///
    ///     func sceneDidBecomeActive(_ scene: UIScene) { fanfare.didBecomeActive() }
    public func didBecomeActive() { order { await $0.becameActive() } }

    /// The app leaves the front.
    ///
    ///     func sceneWillResignActive(_ scene: UIScene) { fanfare.willResignActive() }
    public func willResignActive() { order { await $0.resigned() } }

    /// The keyboard rose or fell.
    ///
    ///     fanfare.keyboard(isUp: true)
    public func keyboard(isUp: Bool) { order { await $0.surroundings(isKeyboardUp: isUp) } }

    /// The screen was turned.
    ///
    ///     fanfare.orientation(.landscape)
    public func orientation(_ orientation: InAppMessage.Orientation) {
        order { await $0.surroundings(orientation: orientation) }
    }

    /// Something happened in the app that messages may wait for.
    ///
    ///     fanfare.log(.purchase("pass", price: 9.99, currency: "EUR"))
    public func log(_ event: AppEvent) { order { await $0.happened(event) } }

    /// Shows a message that the app made itself, when there is a place for it.
    ///
    ///     fanfare.display(InAppMessage(id: "welcome", header: "Hello"))
    public func display(_ message: InAppMessage) { order { await $0.display(message) } }

    /// The place of a message's asset: a file, or the folder of what was a ZIP; nil when it is not there.
    ///
    ///     if let file = message.image.flatMap(fanfare.asset) { imageView.image = UIImage(contentsOfFile: file.path) }
    public func asset(_ url: URL) -> URL? { assets.place(url) }

    /// The file of a sound that came as content, such as an MP3 for the app to play; nil of other content.
    ///
    ///     if let file = fanfare.sound(of: content) { player = try AVAudioPlayer(contentsOf: file) }
    public func sound(of content: RichContent) -> URL? { SoundStore(folder: options.soundFolder).place(content) }

    /// Shows the next message of the stack, without waiting for the interval.
    ///
    ///     fanfare.displayNext()
    public func displayNext() { order { await $0.displayNext() } }

    /// The network is there again: what waits is sent at once.
    ///
    ///     monitor.pathUpdateHandler = { if $0.status == .satisfied { fanfare.networkReturned() } }
    public func networkReturned() { order { await $0.networkReturned() } }
}
