// Linux compiles this file only against stubs, so it stays thin: Push and Phone make the decisions.
#if canImport(UIKit) && !os(watchOS)
public import UIKit

/// An app delegate that hands the token and silent pushes to the kit.
///
/// An app subclasses it, or calls these methods from its own delegate:
///
///     final class AppDelegate: FanfareAppDelegate {}
open class FanfareAppDelegate: UIResponder, UIApplicationDelegate {
    /// Takes the token that the system gave.
    ///
    ///     super.application(application, didRegisterForRemoteNotificationsWithDeviceToken: deviceToken)
    open func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        Fanfare.shared?.setToken(deviceToken)
    }

    /// Logs the reason why the system gave no token.
    ///
    ///     super.application(application, didFailToRegisterForRemoteNotificationsWithError: error)
    open func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
        Fanfare.shared?.phone.listener.log("the system gave no token: \(error.localizedDescription)")
    }

    /// Handles a push that woke the app.
    ///
    ///     return await super.application(application, didReceiveRemoteNotification: userInfo)
    open func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        switch await Fanfare.shared?.received(userInfo) {
        case .newData: .newData
        case .failed: .failed
        case .noData, nil: .noData
        }
    }
}
#endif
