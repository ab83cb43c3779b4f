public import Foundation

/// What the kit does by itself, and how.
///
///     var options = FanfareOptions()
///     options.badge = .clearOnForeground
///     options.inApp.interval = 60
///     let fanfare = try Fanfare.start(integrationKey: key, server: server, options: options)
public struct FanfareOptions: Sendable {
    /// What is done without the app's asking.
    public var automation: Automation = .all
    /// What the person is asked to allow, when that is left to the kit.
    public var permission: PermissionOptions = .standard
    /// The service that sends pushes to this device: `apns`, `fcm` or `webpush`.
    public var provider = "apns"
    /// `sandbox` or `production`; nil: what the app's settings on the server say.
    public var environment: String?
    /// What becomes of the count on the icon.
    public var badge: BadgeRule = []
    /// Buttons under notifications.
    public var categories = ActionCategory.standard
    /// How often in-app messages appear.
    public var inApp = InAppRules()
    /// Parts that the kit draws where the app has no presenter and no notifier of its own.
    ///
    ///     options.looks.remove(.notifications)
    public var looks: Looks = .all
    /// Seconds away from the front after which a session is over.
    public var sessionTimeout: TimeInterval = 30
    /// The address of a server that takes events, where that is another one than the edge; nil: the edge takes them.
    ///
    ///     options.trackingServer = "https://t.example.com"
    public var trackingServer: String?
    /// Names of the app's own for what pushes carry, as `payload_names` of the app's settings on the server has them.
    ///
    /// The server tells them with each session too; here they are there from the first push on.
    ///
    ///     options.payloadNames = ["media": "mediaUrl", "rich_id": "richId"]
    public var payloadNames: [String: String] = [:]
    /// The folder of sounds that come as rich content; the system looks for them in `Library/Sounds` of the app or its group.
    public var soundFolder: URL
    /// The folder of registration, events and contents; an app with extensions gives one of its group.
    public var folder: URL

    /// Parts of the kit that work by themselves; each has calls to do it by hand.
    ///
    ///     options.automation = FanfareOptions.Automation.all.subtracting(.permission)
    public struct Automation: OptionSet, Sendable, Hashable {
        /// The options as bits.
        public let rawValue: Int

        /// Options of these bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The person is asked for permission at the first start.
        public static let permission = Automation(rawValue: 1)
        /// The token is asked for and told.
        public static let token = Automation(rawValue: 2)
        /// Buttons are made known to the system.
        public static let categories = Automation(rawValue: 4)
        /// The notification centre's delegate is set when there is none.
        public static let delegate = Automation(rawValue: 8)
        /// Links of taps are opened.
        public static let links = Automation(rawValue: 16)
        /// Locale, time zone and the app's version are told, at the start and whenever the app comes to the front.
        public static let place = Automation(rawValue: 32)
        /// All of them.
        public static let all: Automation = [.permission, .token, .categories, .delegate, .links, .place]
    }

    /// Parts that have a look of the kit's own, where there is somebody to draw it.
    ///
    ///     options.looks = [.campaigns, .messages]
    public struct Looks: OptionSet, Sendable, Hashable {
        /// The options as bits.
        public let rawValue: Int

        /// Options of these bits.
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

    /// The standard settings; everything is kept in the app's own support folder.
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
