public import Foundation

/// The phone's part of Fanfare: registration, pushes, tracking, rich content, in-app messages.
///
/// One line starts the kit, which then does everything that the options name:
///
///     let fanfare = try Fanfare.start(integrationKey: "…", server: "https://push.example.com")
///
/// Every part can also be driven by hand. Calls may come from any thread and take effect in the order in which they
/// were made; those that return a value wait for it.
public final class Fanfare: Sendable {
    /// The kit that was started last, for code that gets no reference to it, such as an app delegate.
    ///
    ///     Fanfare.shared?.log(.custom("goal"))
    @MainActor public private(set) static var shared: Fanfare?

    /// The app's parts that draw messages, campaigns and notifications.
    public let presenters = Presenters()
    let options: FanfareOptions
    #if canImport(UserNotifications)
    /// Objects that the system references weakly, so that the kit has to keep them alive.
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
    /// An empty key or server is not an error: the delegate hears a status, as for everything that goes wrong later.
    /// Throws when the folder of the options cannot be created.
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
                stage.log("trackingServer is not an address: events go to the server")
            }
        }
        if options.automation.contains(.place) { setting.systemFacts = { SystemFacts.current() } }
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

    /// Runs a body after all earlier calls have taken effect.
    func order(_ body: @escaping @Sendable (Phone) async -> Void) { orders.yield(body) }

    /// Returns when all earlier calls have taken effect.
    private func caughtUp() async {
        await withCheckedContinuation { continuation in
            if case .terminated = orders.yield({ _ in continuation.resume() }) { continuation.resume() }
        }
    }

    /// Returns when nothing is in progress: everything has been sent, or waits for its next try.
    ///
    ///     await fanfare.settled()
    public func settled() async {
        await caughtUp()
        await phone.settled()
    }

    /// Returns the phone's answer after all earlier calls have taken effect; nil after the kit was stopped.
    func asked<Value: Sendable>(_ body: @escaping @Sendable (Phone) async -> Value) async -> Value? {
        await withCheckedContinuation { continuation in
            let result = orders.yield { continuation.resume(returning: await body($0)) }
            if case .terminated = result { continuation.resume(returning: nil) }
        }
    }

    /// Stops the kit: nothing is sent or shown any more, and everything recorded is kept for the next start.
    ///
    ///     fanfare.stop()
    public func stop() {
        order { await $0.stop() }
        orders.finish()
    }

    // MARK: - Registration

    /// Sets the token that APNs gave to `application(_:didRegisterForRemoteNotificationsWithDeviceToken:)`.
    ///
    ///     fanfare.setToken(deviceToken)
    public func setToken(_ token: Data) {
        setToken(token.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())
    }

    /// Sets a token that is a text, as FCM's are.
    ///
    ///     fanfare.setToken(fcmToken)
    public func setToken(_ token: String) { order { await $0.change { $0.token = token } } }

    /// Sets the user of the app; nil is a log-out.
    ///
    /// `proof` is a token from the app's own back end, needed where the app's settings ask for one.
    ///
    ///     fanfare.setUser("ana@example.com", proof: jwt)
    public func setUser(_ key: String?, proof: String? = nil) {
        order { await $0.setUser(key, proof: proof) }
    }

    /// Adds tags to the device.
    ///
    ///     fanfare.addTags(["derby"])
    public func addTags(_ tags: [String]) { order { await $0.change { $0.tags.formUnion(tags) } } }

    /// Removes tags from the device.
    ///
    ///     fanfare.removeTags(["derby"])
    public func removeTags(_ tags: [String]) { order { await $0.change { $0.tags.subtract(tags) } } }

    /// Sets an attribute of the device: a text, a number, true or false.
    ///
    ///     fanfare.setAttribute("team", .string("atleti"))
    ///
    /// An attribute stays until it is set again; null empties it.
    public func setAttribute(_ name: String, _ value: JSON) {
        order { await $0.change { $0.attributes[name] = value } }
    }

    /// Sets the person's language and region, such as `es-ES`, and time zone, such as `Europe/Madrid`.
    ///
    ///     fanfare.setPlace(locale: "es-ES", timeZone: "Europe/Madrid")
    public func setPlace(locale: String?, timeZone: String?) {
        order { await $0.change { ($0.locale, $0.timeZone) = (locale, timeZone) } }
    }

    /// Sets the app's version, such as `3.2.0`.
    ///
    ///     fanfare.setAppVersion("3.2.0")
    public func setAppVersion(_ version: String) { order { await $0.change { $0.appVersion = version } } }

    /// Has the server forget this device, and deletes everything kept here: registration, events, answers, contents.
    ///
    /// Nothing is sent afterwards until the app sets a token again.
    ///
    ///     if case .failed(let reason) = await fanfare.forget() { show("Try again later: \(reason)") }
    public func forget() async -> ForgetResult {
        await caughtUp()
        return await phone.forget()
    }

    /// The permission that the person gave to show notifications.
    public enum Permission: String, Sendable, Hashable, CaseIterable {
        case authorized, provisional, denied, unknown
    }

    /// Sets the permission that the person gave the app to show notifications.
    ///
    ///     fanfare.setPermission(.authorized)
    public func setPermission(_ permission: Permission) {
        order { await $0.change { $0.permission = permission.rawValue } }
    }

    /// Sets the count on the icon, on the device and on the server.
    ///
    ///     fanfare.setBadge(0)
    public func setBadge(_ count: Int) {
        order { phone in
            phone.listener.setBadge(count)
            await phone.badgeWasSet(count)
        }
    }

    // MARK: - Pushes

    /// Reads a push from a user info, also under the app's own field names; nil when Fanfare did not send it.
    ///
    ///     let push = fanfare.push(response.notification.request.content.userInfo)
    public func push(_ userInfo: [AnyHashable: Any]) -> PushMessage? {
        PushMessage(members: JSON.members(userInfo), names.names)
    }

    /// Returns true if Fanfare sent the push of this user info.
    ///
    ///     guard fanfare.isOurs(userInfo) else { return otherSDK.handle(userInfo) }
    public func isOurs(_ userInfo: [AnyHashable: Any]) -> Bool { push(userInfo) != nil }

    /// Handles a push that arrived; returns when its content is there, or cannot be had.
    ///
    ///     let result = await fanfare.received(userInfo)
    public func received(_ userInfo: [AnyHashable: Any]) async -> FetchResult {
        guard let push = push(userInfo) else { return .noData }
        await caughtUp()
        return await phone.received(push)
    }

    /// Handles a push that arrived while the app is in front, and returns how the system is to show it.
    ///
    ///     let shown = await fanfare.displayed(notification.request.content.userInfo)
    @discardableResult public func displayed(_ userInfo: [AnyHashable: Any]) async -> NotificationPresentation {
        await displayed(push(userInfo))
    }

    /// Handles a push that was already read; nil stands for one that Fanfare did not send.
    func displayed(_ push: PushMessage?) async -> NotificationPresentation {
        guard let push else { return .all }
        await caughtUp()
        return await phone.displayed(push)
    }

    /// Handles a tap on a notification or on one of its buttons.
    ///
    ///     await fanfare.opened(userInfo, action: "LIKE")
    public func opened(_ userInfo: [AnyHashable: Any], action: String? = nil) async {
        await responded(action.map { .action($0) } ?? .opened, to: push(userInfo))
    }

    /// Handles a notification that the person swiped away.
    ///
    ///     await fanfare.dismissed(userInfo)
    public func dismissed(_ userInfo: [AnyHashable: Any]) async { await responded(.dismissed, to: push(userInfo)) }

    /// Handles a person's response to a push that was already read; nil stands for one that Fanfare did not send.
    func responded(_ response: PushResponse, to push: PushMessage?) async {
        guard let push else { return }
        await caughtUp()
        await phone.responded(response, to: push)
    }

    /// Returns the content that a push names, from the cache or the server.
    ///
    ///     if case .success(let coupon) = await fanfare.content(of: push) { show(coupon.data) }
    public func content(of push: PushMessage) async -> Result<RichContent, RichContentProblem> {
        await caughtUp()
        return await phone.fetch(push)
    }

    /// Sets the handler of rich content of a type, called when its push was opened; the empty type is for all others.
    ///
    /// Content whose type is not in `types` (empty: any) or that is larger than `bytesMax` bytes is rejected, and the
    /// delegate hears that it failed. The server accepts no content of more than 2 MiB.
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

    /// Sets the handler of data pushes of a category; the empty category is for all others.
    ///
    ///     fanfare.onDataPush("prices") { push in try prices.update(push.bytes); return true }
    public func onDataPush(_ category: String = "", _ handler: @escaping DataPushHandler) {
        order { await $0.setHandler(handler, for: category) }
    }

    // MARK: - Sessions and in-app messages

    /// Tells the kit that the app came to the front.
    ///
    ///     func sceneDidBecomeActive(_ scene: UIScene) { fanfare.didBecomeActive() }
    public func didBecomeActive() { order { await $0.becameActive() } }

    /// Tells the kit that the app leaves the front.
    ///
    ///     func sceneWillResignActive(_ scene: UIScene) { fanfare.willResignActive() }
    public func willResignActive() { order { await $0.resigned() } }

    /// Tells the kit that the keyboard appeared or disappeared.
    ///
    ///     fanfare.keyboard(isUp: true)
    public func keyboard(isUp: Bool) { order { await $0.surroundings(isKeyboardUp: isUp) } }

    /// Tells the kit that the screen was turned.
    ///
    ///     fanfare.orientation(.landscape)
    public func orientation(_ orientation: InAppMessage.Orientation) {
        order { await $0.surroundings(orientation: orientation) }
    }

    /// Logs an event in the app that may trigger messages.
    ///
    ///     fanfare.log(.purchase("pass", price: 9.99, currency: "EUR"))
    public func log(_ event: AppEvent) { order { await $0.happened(event) } }

    /// Shows a message that the app made itself, as soon as there is room for it.
    ///
    ///     fanfare.display(InAppMessage(id: "welcome", header: "Hello"))
    public func display(_ message: InAppMessage) { order { await $0.display(message) } }

    /// The location of a message's asset: a file, or the folder of an unpacked ZIP; nil when it is not on the device.
    ///
    ///     if let file = message.image.flatMap(fanfare.asset) { imageView.image = UIImage(contentsOfFile: file.path) }
    public func asset(_ url: URL) -> URL? { assets.location(url) }

    /// The file of a sound that came as content, such as an MP3 for the app to play; nil for other content.
    ///
    ///     if let file = fanfare.sound(of: content) { player = try AVAudioPlayer(contentsOf: file) }
    public func sound(of content: RichContent) -> URL? { SoundStore(folder: options.soundFolder).location(content) }

    /// Shows the next message of the stack, without waiting for the interval.
    ///
    ///     fanfare.displayNext()
    public func displayNext() { order { await $0.displayNext() } }

    /// Tells the kit that the network is back: everything that waits is sent at once.
    ///
    ///     monitor.pathUpdateHandler = { if $0.status == .satisfied { fanfare.networkReturned() } }
    public func networkReturned() { order { await $0.networkReturned() } }
}
