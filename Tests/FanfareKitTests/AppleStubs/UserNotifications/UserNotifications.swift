// swift-format-ignore-file
// The calls that FanfareKit makes to Apple's UserNotifications, as its headers declare them for iOS: signatures, no
// behaviour.
//
// The strictest reading where SDKs differ: no class is Sendable, and the handlers of the centre's calls are.
@_exported import Foundation

open class UNUserNotificationCenter: NSObject {
    open class func current() -> UNUserNotificationCenter { fatalError() }
    weak open var delegate: (any UNUserNotificationCenterDelegate)?
    open func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool { fatalError() }
    open func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {}
    open func getNotificationCategories(
        completionHandler: @escaping @Sendable (Set<UNNotificationCategory>) -> Void
    ) {}
    open func getNotificationSettings(completionHandler: @escaping @Sendable (UNNotificationSettings) -> Void) {}
    open func add(
        _ request: UNNotificationRequest,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {}
    open func add(_ request: UNNotificationRequest) async throws {}
    open func removeAllDeliveredNotifications() {}
    @available(iOS 16.0, macCatalyst 16.0, macOS 13.0, tvOS 16.0, *)
    @available(watchOS, unavailable)
    open func setBadgeCount(
        _ newBadgeCount: Int,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {}
    @available(iOS 16.0, macCatalyst 16.0, macOS 13.0, tvOS 16.0, *)
    @available(watchOS, unavailable)
    open func setBadgeCount(_ newBadgeCount: Int) async throws {}
}

// Optional in Apple's SDK; required here, so that a witness with another signature is an error.
public protocol UNUserNotificationCenterDelegate: NSObjectProtocol {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    )
    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    )
}

open class UNNotification: NSObject {
    open var date: Date { fatalError() }
    open var request: UNNotificationRequest { fatalError() }
}

open class UNNotificationResponse: NSObject {
    open var notification: UNNotification { fatalError() }
    open var actionIdentifier: String { fatalError() }
}

public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"
public let UNNotificationDismissActionIdentifier = "com.apple.UNNotificationDismissActionIdentifier"

open class UNNotificationRequest: NSObject {
    public convenience init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
        fatalError()
    }
    open var identifier: String { fatalError() }
    open var content: UNNotificationContent { fatalError() }
}

open class UNNotificationTrigger: NSObject {}

open class UNNotificationContent: NSObject, NSCopying {
    open func copy(with zone: NSZone? = nil) -> Any { fatalError() }
    open var userInfo: [AnyHashable: Any] { fatalError() }
}

extension UNNotificationContent: NSMutableCopying {
    public func mutableCopy(with zone: NSZone? = nil) -> Any { fatalError() }
}

open class UNMutableNotificationContent: UNNotificationContent {
    open var attachments: [UNNotificationAttachment] = []
    open var badge: NSNumber?
    open var body = ""
    open var categoryIdentifier = ""
    open var sound: UNNotificationSound?
    open var subtitle = ""
    open var title = ""
    private var info: [AnyHashable: Any] = [:]
    open override var userInfo: [AnyHashable: Any] {
        get { info }
        set { info = newValue }
    }
}

open class UNNotificationAttachment: NSObject {
    public convenience init(identifier: String, url: URL, options: [AnyHashable: Any]? = nil) throws { fatalError() }
}

public struct UNNotificationSoundName: Hashable, RawRepresentable, Sendable {
    public var rawValue: String
    public init(_ rawValue: String) { self.rawValue = rawValue }
    public init(rawValue: String) { self.rawValue = rawValue }
}

open class UNNotificationSound: NSObject {
    open class var `default`: UNNotificationSound { fatalError() }
    @available(watchOS, unavailable)
    @available(tvOS, unavailable)
    public convenience init(named name: UNNotificationSoundName) { fatalError() }
}

open class UNNotificationSettings: NSObject {
    open var authorizationStatus: UNAuthorizationStatus { fatalError() }
}

public enum UNAuthorizationStatus: Int, Sendable {
    case notDetermined, denied, authorized, provisional, ephemeral
}

public struct UNAuthorizationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let badge = UNAuthorizationOptions(rawValue: 1)
    @available(tvOS, unavailable)
    public static let sound = UNAuthorizationOptions(rawValue: 2)
    @available(tvOS, unavailable)
    public static let alert = UNAuthorizationOptions(rawValue: 4)
    @available(tvOS, unavailable)
    public static let provisional = UNAuthorizationOptions(rawValue: 64)
}

public struct UNNotificationPresentationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let badge = UNNotificationPresentationOptions(rawValue: 1)
    public static let sound = UNNotificationPresentationOptions(rawValue: 2)
    @available(*, deprecated)
    public static let alert = UNNotificationPresentationOptions(rawValue: 4)
    public static let list = UNNotificationPresentationOptions(rawValue: 8)
    public static let banner = UNNotificationPresentationOptions(rawValue: 16)
}

public struct UNNotificationActionOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let destructive = UNNotificationActionOptions(rawValue: 2)
    public static let foreground = UNNotificationActionOptions(rawValue: 4)
}

@available(tvOS, unavailable)
open class UNNotificationAction: NSObject {
    public convenience init(identifier: String, title: String, options: UNNotificationActionOptions = []) {
        fatalError()
    }
}

public struct UNNotificationCategoryOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let customDismissAction = UNNotificationCategoryOptions(rawValue: 1)
}

@available(tvOS, unavailable)
open class UNNotificationCategory: NSObject {
    open var identifier: String { fatalError() }
    public convenience init(
        identifier: String,
        actions: [UNNotificationAction],
        intentIdentifiers: [String],
        options: UNNotificationCategoryOptions = []
    ) {
        fatalError()
    }
}

@available(tvOS, unavailable)
@available(watchOS, unavailable)
open class UNNotificationServiceExtension: NSObject {
    open func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {}
    open func serviceExtensionTimeWillExpire() {}
}
