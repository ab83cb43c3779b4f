// Linux compiles this file only against stubs, so it stays thin: Phone and Facade make the decisions.
#if canImport(UserNotifications)
import Foundation
import UserNotifications

#if canImport(UIKit) && !os(watchOS)
import UIKit
#endif

extension Fanfare {
    /// Does everything that the options leave to the kit.
    @MainActor func automate() {
        let automation = options.automation
        #if !os(tvOS)
        if automation.contains(.delegate) { takeCentre() }
        if automation.contains(.categories) { registerCategories() }
        #endif
        if automation.contains(.permission) { Task { await askPermission() } } else { Task { await tellPermission() } }
        if automation.contains(.token) { askToken() }
        presentByDefault()
        observe()
    }

    #if !os(tvOS)
    /// The delegate of the notification centre: set by the kit, or called by the app's own delegate.
    ///
    ///     let delegate = fanfare.notificationDelegate
    ///     delegate.userNotificationCenter(center, didReceive: response, withCompletionHandler: completionHandler)
    @MainActor public var notificationDelegate: FanfareNotificationDelegate {
        if let delegate = kept.delegate as? FanfareNotificationDelegate { return delegate }
        let delegate = FanfareNotificationDelegate(self)
        kept.delegate = delegate
        return delegate
    }

    /// Sets the notification centre's delegate when there is none; keeps an existing one, and logs that.
    @MainActor private func takeCentre() {
        let centre = UNUserNotificationCenter.current()
        guard centre.delegate == nil else {
            phone.listener.log(
                "the notification centre has a delegate: forward its calls to fanfare.notificationDelegate"
            )
            return
        }
        centre.delegate = notificationDelegate
    }

    /// Registers the options' categories with the system, in addition to those that the app has.
    ///
    ///     fanfare.registerCategories()
    @MainActor public func registerCategories() {
        let wanted = options.categories
        UNUserNotificationCenter.current().getNotificationCategories { @Sendable old in
            let names = Set(wanted.map(\.id))
            let others = old.filter { !names.contains($0.identifier) }
            UNUserNotificationCenter.current().setNotificationCategories(others.union(wanted.map(\.forSystem)))
        }
    }
    #endif

    /// Asks the person for permission and tells the server the answer; nil asks for the permissions in the options.
    ///
    ///     await fanfare.askPermission([.alert, .sound, .provisional])
    @MainActor public func askPermission(_ wanted: PermissionOptions? = nil) async {
        let wanted = wanted ?? options.permission
        var all: UNAuthorizationOptions = []
        if wanted.contains(.badge) { all.insert(.badge) }
        #if !os(tvOS)
        if wanted.contains(.alert) { all.insert(.alert) }
        if wanted.contains(.sound) { all.insert(.sound) }
        if wanted.contains(.provisional) { all.insert(.provisional) }
        #endif
        do {
            _ = try await UNUserNotificationCenter.current().requestAuthorization(options: all)
        } catch {
            phone.listener.log("permission cannot be asked for: \(error.localizedDescription)")
        }
        await tellPermission()
    }

    /// Tells the server the person's current permission, which may have been changed in the system's settings.
    ///
    ///     await fanfare.tellPermission()
    @MainActor public func tellPermission() async {
        // The system answers on a queue of its own, and its settings object cannot leave that queue.
        let status = await withCheckedContinuation { told in
            UNUserNotificationCenter.current().getNotificationSettings { @Sendable settings in
                told.resume(returning: settings.authorizationStatus)
            }
        }
        switch status {
        case .authorized: setPermission(.authorized)
        case .provisional: setPermission(.provisional)
        case .denied: setPermission(.denied)
        default: setPermission(.unknown)
        }
    }

    /// Asks the system for the token, which the app delegate passes to `setToken`.
    ///
    ///     fanfare.askToken()
    @MainActor public func askToken() {
        #if canImport(UIKit) && !os(watchOS)
        UIApplication.shared.registerForRemoteNotifications()
        #endif
    }

    @MainActor private func presentByDefault() {
        #if !os(watchOS)
        if presenters.badge == nil { presenters.badge = { Self.showBadge($0) } }
        #endif
        #if canImport(SwiftUI) && canImport(UIKit) && !os(tvOS) && !os(watchOS)
        if presenters.drawer == nil { presenters.drawer = LookBoard.shared }
        #endif
        #if !os(tvOS)
        if presenters.notification == nil {
            presenters.notification = { notification, _ in
                let content = UNMutableNotificationContent()
                content.title = notification.title ?? ""
                content.body = notification.body
                content.categoryIdentifier = notification.category ?? ""
                content.userInfo = notification.userInfo.compactMapValues(\.plain)
                #if os(watchOS)
                content.sound = .default
                #else
                content.sound =
                    notification.sound.map { UNNotificationSound(named: UNNotificationSoundName($0)) } ?? .default
                #endif
                let request = UNNotificationRequest(identifier: notification.id, content: content, trigger: nil)
                UNUserNotificationCenter.current().add(request)
            }
        }
        #endif
        #if canImport(UIKit) && !os(watchOS)
        if presenters.links == nil {
            presenters.links = { link in
                if let url = URL(string: link) { UIApplication.shared.open(url) }
            }
        }
        #if !os(tvOS)
        if presenters.clearNotifications == nil {
            presenters.clearNotifications = {
                UNUserNotificationCenter.current().removeAllDeliveredNotifications()
            }
        }
        #endif
        #endif
    }

    #if !os(watchOS)
    @MainActor private static func showBadge(_ count: Int) {
        let centre = UNUserNotificationCenter.current()
        if #available(iOS 16, macOS 13, tvOS 16, macCatalyst 16, *) {
            centre.setBadgeCount(count)
        } else {
            // The call of iOS 15 is deprecated; a notification with nothing but a count does the same and shows
            // nothing.
            let content = UNMutableNotificationContent()
            content.badge = NSNumber(value: count)
            centre.add(UNNotificationRequest(identifier: "fanfare.badge", content: content, trigger: nil))
        }
    }
    #endif

    @MainActor private func observe() {
        #if canImport(UIKit) && !os(watchOS)
        let centre = NotificationCenter.default
        _ = centre.addObserver(forName: UIApplication.didBecomeActiveNotification, object: nil, queue: .main) {
            [weak self] _ in
            self?.didBecomeActive()
            Task { [weak self] in await self?.tellPermission() }
        }
        _ = centre.addObserver(forName: UIApplication.willResignActiveNotification, object: nil, queue: .main) {
            [weak self] _ in self?.willResignActive()
        }
        #if !os(tvOS) && !os(visionOS)
        // The orientation of the screen, not of the device: a locked screen does not turn.
        _ = centre.addObserver(forName: UIDevice.orientationDidChangeNotification, object: nil, queue: .main) {
            [weak self] _ in MainActor.assumeIsolated { self?.tellOrientation() }
        }
        tellOrientation()
        _ = centre.addObserver(forName: UIResponder.keyboardWillShowNotification, object: nil, queue: .main) {
            [weak self] _ in self?.keyboard(isUp: true)
        }
        _ = centre.addObserver(forName: UIResponder.keyboardDidHideNotification, object: nil, queue: .main) {
            [weak self] _ in self?.keyboard(isUp: false)
        }
        #endif
        #endif
    }

    #if canImport(UIKit) && !os(watchOS) && !os(tvOS) && !os(visionOS)
    @MainActor private func tellOrientation() {
        let scene = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }.first
        orientation(scene?.interfaceOrientation.isLandscape == true ? .landscape : .portrait)
    }
    #endif
}

#if !os(tvOS)
extension ActionCategory {
    /// The category in the system's form.
    fileprivate var forSystem: UNNotificationCategory {
        let actions = actions.map { action in
            var how: UNNotificationActionOptions = []
            if action.opensApp { how.insert(.foreground) }
            if action.isDestructive { how.insert(.destructive) }
            return UNNotificationAction(identifier: action.id, title: action.title, options: how)
        }
        return UNNotificationCategory(
            identifier: id,
            actions: actions,
            intentIdentifiers: [],
            options: .customDismissAction
        )
    }
}
#endif
#endif
