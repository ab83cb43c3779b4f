// Linux compiles this file against stubs only; it is thin: what is decided is decided in Push and Phone.
#if canImport(UIKit) && !os(watchOS)
public import UIKit

/// An app delegate that hands the token and silent pushes to the kit.
///
/// An app subclasses it, or forwards these calls from its own:
///
///     final class AppDelegate: FanfareAppDelegate {}
open class FanfareAppDelegate: UIResponder, UIApplicationDelegate {
    /// The system gives the token.
    ///
    ///     super.application(application, didRegisterForRemoteNotificationsWithDeviceToken: deviceToken)
    open func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        Fanfare.shared?.setToken(deviceToken)
    }

    /// The system gives no token.
    ///
    ///     super.application(application, didFailToRegisterForRemoteNotificationsWithError: error)
    open func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
        Fanfare.shared?.phone.listener.log("the system gives no token: \(error.localizedDescription)")
    }

    /// A push wakes the app.
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
