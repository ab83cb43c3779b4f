// Apple's systems only: thin, because nothing here is tested on Linux.
#if canImport(UserNotifications)
import Foundation
public import UserNotifications

#if canImport(UIKit) && !os(watchOS)
import UIKit
#endif

extension Fanfare {
    /// Does what the options leave to the kit.
    @MainActor func automate() {
        let automation = options.automation
        if automation.contains(.delegate) { takeCentre() }
        #if !os(tvOS)
        if automation.contains(.categories) { registerCategories() }
        #endif
        if automation.contains(.permission) { Task { await askPermission() } }
        if automation.contains(.token) { askToken() }
        presentByDefault()
        observe()
    }

    /// Sets the notification centre's delegate when there is none; one that exists stays, and is logged.
    @MainActor private func takeCentre() {
        let centre = UNUserNotificationCenter.current()
        guard centre.delegate == nil else {
            phone.listener.log(
                "the notification centre has a delegate: forward its calls to FanfareNotificationDelegate"
            )
            return
        }
        let delegate = FanfareNotificationDelegate(self)
        kept.delegate = delegate
        centre.delegate = delegate
    }

    #if !os(tvOS)
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

    /// Asks the person for permission and tells the server the answer.
    ///
    ///     await fanfare.askPermission([.alert, .sound, .provisional])
    @MainActor public func askPermission(_ options: UNAuthorizationOptions = [.alert, .badge, .sound]) async {
        let centre = UNUserNotificationCenter.current()
        do {
            _ = try await centre.requestAuthorization(options: options)
        } catch {
            phone.listener.log("permission cannot be asked for: \(error.localizedDescription)")
        }
        switch await centre.notificationSettings().authorizationStatus {
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
        #if canImport(UIKit) && !os(watchOS)
        if presenters.links == nil {
            presenters.links = { link in
                if let url = URL(string: link) { UIApplication.shared.open(url) }
            }
        }
        if presenters.badge == nil {
            presenters.badge = { count in
                UIApplication.shared.applicationIconBadgeNumber = count
                #if !os(tvOS)
                if count == 0 { UNUserNotificationCenter.current().removeAllDeliveredNotifications() }
                #endif
            }
        }
        #endif
    }

    @MainActor private func observe() {
        #if canImport(UIKit) && !os(watchOS)
        let centre = NotificationCenter.default
        centre.addObserver(forName: UIApplication.didBecomeActiveNotification, object: nil, queue: .main) {
            [weak self] _ in self?.didBecomeActive()
        }
        centre.addObserver(forName: UIApplication.willResignActiveNotification, object: nil, queue: .main) {
            [weak self] _ in self?.willResignActive()
        }
        #if os(iOS)
        centre.addObserver(forName: UIResponder.keyboardWillShowNotification, object: nil, queue: .main) {
            [weak self] _ in self?.keyboard(isUp: true)
        }
        centre.addObserver(forName: UIResponder.keyboardDidHideNotification, object: nil, queue: .main) {
            [weak self] _ in self?.keyboard(isUp: false)
        }
        #endif
        #endif
    }
}
#endif
