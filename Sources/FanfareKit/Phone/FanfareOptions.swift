public import Foundation

/// The settings of the kit, including the work that it does by itself.
///
///     var options = FanfareOptions()
///     options.badge = .clearOnForeground
///     options.inApp.interval = 60
///     let fanfare = try Fanfare.start(integrationKey: key, server: server, options: options)
public struct FanfareOptions: Sendable {
    /// The parts of the kit that work without a call by the app.
    public var automation: Automation = .all
    /// The permissions that the kit asks for, when the request is left to it.
    public var permission: PermissionOptions = .standard
    /// The service that sends pushes to this device: `apns`, `fcm` or `webpush`.
    public var provider = "apns"
    /// `sandbox` or `production`; nil for the value of the app's settings on the server.
    public var environment: String?
    /// The rules by which the kit clears the count on the icon.
    public var badge: BadgeRule = []
    /// The categories of buttons under notifications.
    public var categories = ActionCategory.standard
    /// The rules for showing in-app messages.
    public var inApp = InAppRules()
    /// The parts that the kit draws where the app has no presenter or notifier of its own.
    ///
    ///     options.looks.remove(.notifications)
    public var looks: Looks = .all
    /// The seconds away from the front after which a session is over.
    public var sessionTimeout: TimeInterval = 30
    /// The address of a server that takes events, when it differs from the edge; nil: the edge takes them.
    ///
    ///     options.trackingServer = "https://t.example.com"
    public var trackingServer: String?
    /// The app's own field names in pushes, as in `payload_names` of the app's settings on the server.
    ///
    /// The server also sends them with each session; names set here work from the first push on.
    ///
    ///     options.payloadNames = ["media": "mediaUrl", "rich_id": "richId"]
    public var payloadNames: [String: String] = [:]
    /// The folder of sounds that come as rich content; the system looks in `Library/Sounds` of the app or its group.
    public var soundFolder: URL
    /// The folder of registration, events and contents; an app with extensions uses one in its group.
    public var folder: URL

    /// Parts of the kit that work by themselves; each can also be called by hand.
    ///
    ///     options.automation = FanfareOptions.Automation.all.subtracting(.permission)
    public struct Automation: OptionSet, Sendable, Hashable {
        /// The options as bits.
        public let rawValue: Int

        /// Creates the options of these bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Asks the person for permission at the first start.
        public static let permission = Automation(rawValue: 1)
        /// Asks the system for the token and sends it to the server.
        public static let token = Automation(rawValue: 2)
        /// Registers the button categories with the system.
        public static let categories = Automation(rawValue: 4)
        /// Sets the notification centre's delegate when there is none.
        public static let delegate = Automation(rawValue: 8)
        /// Opens the links of taps.
        public static let links = Automation(rawValue: 16)
        /// Sends locale, time zone and app version, at the start and whenever the app comes to the front.
        public static let place = Automation(rawValue: 32)
        /// All of them.
        public static let all: Automation = [.permission, .token, .categories, .delegate, .links, .place]
    }

    /// Parts that the kit can draw itself, where there is a drawer.
    ///
    ///     options.looks = [.campaigns, .messages]
    public struct Looks: OptionSet, Sendable, Hashable {
        /// The options as bits.
        public let rawValue: Int

        /// Creates the options of these bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Notifications inside the app; without them the system shows a push in front.
        public static let notifications = Looks(rawValue: 1)
        /// Announcements and polls.
        public static let campaigns = Looks(rawValue: 2)
        /// In-app messages.
        public static let messages = Looks(rawValue: 4)
        /// All of them.
        public static let all: Looks = [.notifications, .campaigns, .messages]
    }

    /// Creates the standard settings; everything is kept in the app's own support folder.
    ///
    ///     var options = FanfareOptions()
    ///     options.folder = groupContainer.appendingPathComponent("Fanfare")
    public init() {
        let base =
            FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            ?? FileManager.default.temporaryDirectory
        let library = FileManager.default.urls(for: .libraryDirectory, in: .userDomainMask).first ?? base
        soundFolder = library.appendingPathComponent("Sounds", isDirectory: true)
        folder = base.appendingPathComponent("Fanfare", isDirectory: true)
    }
}
