// swift-format-ignore-file
// The calls that FanfareKit makes to Apple's UIKit, as its headers declare them for iOS: signatures and isolation, no
// behaviour.
@_exported import Foundation

@MainActor open class UIResponder: NSObject {
    public override nonisolated init() { super.init() }
    nonisolated public class var keyboardWillShowNotification: NSNotification.Name { fatalError() }
    nonisolated public class var keyboardDidHideNotification: NSNotification.Name { fatalError() }
}

@MainActor open class UIApplication: UIResponder {
    open class var shared: UIApplication { fatalError() }
    nonisolated public class var didBecomeActiveNotification: NSNotification.Name { fatalError() }
    nonisolated public class var willResignActiveNotification: NSNotification.Name { fatalError() }
    open func registerForRemoteNotifications() {}
    open func beginBackgroundTask(
        withName taskName: String?,
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier { fatalError() }
    open func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
    open var connectedScenes: Set<UIScene> { fatalError() }
    @available(*, deprecated, message: "Use -[UNUserNotificationCenter setBadgeCount:withCompletionHandler:] instead.")
    open var applicationIconBadgeNumber: Int {
        get { fatalError() }
        set {}
    }
    open func open(
        _ url: URL,
        options: [OpenExternalURLOptionsKey: Any] = [:],
        completionHandler completion: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) {}

    public struct LaunchOptionsKey: Hashable, RawRepresentable, Sendable {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    public struct OpenExternalURLOptionsKey: Hashable, RawRepresentable, Sendable {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

// Optional in Apple's SDK; required here, so that a witness with another signature is an error.
@MainActor public protocol UIApplicationDelegate: NSObjectProtocol {
    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    )
    func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    )
    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult
}

public struct UIBackgroundTaskIdentifier: Hashable, RawRepresentable, Sendable {
    public var rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

public enum UIBackgroundFetchResult: UInt, Sendable {
    case newData, noData, failed
}

@MainActor open class UIDevice: NSObject {
    nonisolated public class var orientationDidChangeNotification: NSNotification.Name { fatalError() }
}

public enum UIInterfaceOrientation: Int, Sendable {
    case unknown, portrait, portraitUpsideDown, landscapeLeft, landscapeRight
    public var isLandscape: Bool { fatalError() }
}

public struct UIInterfaceOrientationMask: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var all: UIInterfaceOrientationMask { fatalError() }
}

@MainActor open class UIScene: UIResponder {
    public enum ActivationState: Int, Sendable {
        case unattached = -1
        case foregroundActive, foregroundInactive, background
    }
    open var activationState: ActivationState { fatalError() }
}

@MainActor open class UIWindowScene: UIScene {
    open var interfaceOrientation: UIInterfaceOrientation { fatalError() }
    open var windows: [UIWindow] { fatalError() }
}

@MainActor open class UIView: UIResponder {
    public convenience init(frame: CGRect) { fatalError() }
    open var frame: CGRect = .zero
    open var bounds: CGRect = .zero
    open var backgroundColor: UIColor?
    open var isHidden = false
    open var isOpaque = true
    open var subviews: [UIView] { fatalError() }
    open var window: UIWindow? { fatalError() }
    open var translatesAutoresizingMaskIntoConstraints = true
    open func addSubview(_ view: UIView) {}
    open func removeFromSuperview() {}
    open func hitTest(_ point: CGPoint, with event: UIEvent?) -> UIView? { fatalError() }
    open var leadingAnchor: NSLayoutXAxisAnchor { fatalError() }
    open var trailingAnchor: NSLayoutXAxisAnchor { fatalError() }
    open var topAnchor: NSLayoutYAxisAnchor { fatalError() }
    open var bottomAnchor: NSLayoutYAxisAnchor { fatalError() }
    open var safeAreaLayoutGuide: UILayoutGuide { fatalError() }
}

// In Apple's SDK these are members of a category of NSObject.
extension UIView {
    public var accessibilityViewIsModal: Bool {
        get { fatalError() }
        set {}
    }
}

@MainActor open class UILayoutGuide: NSObject {
    open var leadingAnchor: NSLayoutXAxisAnchor { fatalError() }
    open var trailingAnchor: NSLayoutXAxisAnchor { fatalError() }
    open var topAnchor: NSLayoutYAxisAnchor { fatalError() }
    open var bottomAnchor: NSLayoutYAxisAnchor { fatalError() }
}

@MainActor open class NSLayoutAnchor<AnchorType: AnyObject>: NSObject {
    open func constraint(equalTo anchor: NSLayoutAnchor<AnchorType>) -> NSLayoutConstraint { fatalError() }
}

@MainActor open class NSLayoutXAxisAnchor: NSLayoutAnchor<NSLayoutXAxisAnchor> {}
@MainActor open class NSLayoutYAxisAnchor: NSLayoutAnchor<NSLayoutYAxisAnchor> {}

@MainActor open class NSLayoutConstraint: NSObject {
    open class func activate(_ constraints: [NSLayoutConstraint]) {}
}

@MainActor open class UIEvent: NSObject {}

// Safety: Apple's headers declare it for both; these have no state.
open class UIColor: NSObject, @unchecked Sendable {
    open class var clear: UIColor { fatalError() }
}

open class UIImage: NSObject, @unchecked Sendable {
    public init?(named name: String) { fatalError() }
}

@MainActor open class UIViewController: UIResponder {
    public init(nibName: String?, bundle: Bundle?) { super.init() }
    public required init?(coder: NSCoder) { super.init() }
    public override nonisolated convenience init() { fatalError() }
    open var view: UIView! { fatalError() }
    open func addChild(_ childController: UIViewController) {}
    open func didMove(toParent parent: UIViewController?) {}
    open func willMove(toParent parent: UIViewController?) {}
    open func removeFromParent() {}
    open var supportedInterfaceOrientations: UIInterfaceOrientationMask { fatalError() }
    open var prefersStatusBarHidden: Bool { fatalError() }
}

@MainActor open class UIWindow: UIView {
    public struct Level: Hashable, RawRepresentable, Sendable {
        public var rawValue: CGFloat
        public init(_ rawValue: CGFloat) { self.rawValue = rawValue }
        public init(rawValue: CGFloat) { self.rawValue = rawValue }
        public static let normal = Level(0)
    }
    public init(windowScene: UIWindowScene) { super.init() }
    public required init?(coder: NSCoder) { super.init() }
    open var rootViewController: UIViewController?
    open var windowLevel: Level = .normal
    weak open var windowScene: UIWindowScene?
}

public enum UIAccessibility {
    public struct Notification: Hashable, Sendable {
        public static var screenChanged: Notification { fatalError() }
        public static var layoutChanged: Notification { fatalError() }
    }
    @MainActor public static func post(notification: Notification, argument: Any?) {}
}
