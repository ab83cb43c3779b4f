// Linux does not compile this file; it is thin: what is decided is decided in Phone and Facade.
#if canImport(UserNotifications)
import Foundation
import UserNotifications

#if canImport(UIKit) && !os(watchOS)
import UIKit
#endif

extension Fanfare {
    /// Does what the options leave to the kit.
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
    /// Takes the notification centre's calls: set by the kit, or forwarded to by the app's own delegate.
    ///
    ///     await fanfare.notificationDelegate.userNotificationCenter(center, didReceive: response)
    @MainActor public var notificationDelegate: FanfareNotificationDelegate {
        if let delegate = kept.delegate { return delegate }
        let delegate = FanfareNotificationDelegate(self)
        kept.delegate = delegate
        return delegate
    }

    /// Sets the notification centre's delegate when there is none; one that exists stays, and is logged.
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

    /// Makes the options' categories known to the system, beside those that the app has.
    ///
    ///     fanfare.registerCategories()
    @MainActor public func registerCategories() {
        let own = options.categories.map { category in
            let actions = category.actions.map { action in
                var how: UNNotificationActionOptions = []
                if action.opensApp { how.insert(.foreground) }
                if action.isDestructive { how.insert(.destructive) }
                return UNNotificationAction(identifier: action.id, title: action.title, options: how)
            }
            return UNNotificationCategory(
                identifier: category.id,
                actions: actions,
                intentIdentifiers: [],
                options: .customDismissAction
            )
        }
        let centre = UNUserNotificationCenter.current()
        centre.getNotificationCategories { old in
            let names = Set(own.map(\.identifier))
            centre.setNotificationCategories(Set(old.filter { !names.contains($0.identifier) } + own))
        }
    }
    #endif

    /// Asks the person for permission and tells the server the answer; nil asks for what the options say.
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

    /// Tells the server what the person allows now: it may have been changed in the system's settings.
    ///
    ///     await fanfare.tellPermission()
    @MainActor public func tellPermission() async {
        switch await UNUserNotificationCenter.current().notificationSettings().authorizationStatus {
        case .authorized: setPermission(.authorized)
        case .provisional: setPermission(.provisional)
        case .denied: setPermission(.denied)
        default: setPermission(.unknown)
        }
    }

    /// Asks the system for the token, which the app delegate hands to `setToken`.
    ///
    ///     fanfare.askToken()
    @MainActor public func askToken() {
        #if canImport(UIKit) && !os(watchOS)
        UIApplication.shared.registerForRemoteNotifications()
        #endif
    }

    @MainActor private func presentByDefault() {
        #if !os(tvOS)
        if presenters.notification == nil {
            presenters.notification = { notification, _ in
                let content = UNMutableNotificationContent()
                content.title = notification.title ?? ""
                content.body = notification.body
                content.categoryIdentifier = notification.category ?? ""
                content.userInfo = notification.userInfo.compactMapValues(\.plain)
                content.sound =
                    notification.sound.map { UNNotificationSound(named: UNNotificationSoundName($0)) } ?? .default
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
        if presenters.badge == nil {
            presenters.badge = { count in
                UIApplication.shared.applicationIconBadgeNumber = count
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
        #if os(iOS)
        // The screen itself, not how the phone is held: a locked screen stays as it is.
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

    #if os(iOS)
    @MainActor private func tellOrientation() {
        let scene = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }.first
        orientation(scene?.interfaceOrientation.isLandscape == true ? .landscape : .portrait)
    }
    #endif
}

/// What the system holds weakly and the kit has to keep.
@MainActor final class KeptObjects {
    #if !os(tvOS)
    var delegate: FanfareNotificationDelegate?
    #endif

    nonisolated init() {}
}
#endif
