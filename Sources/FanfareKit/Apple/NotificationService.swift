// Linux compiles this file against stubs only; it is thin: what is decided is decided in Extensions.
#if canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
import Foundation
public import UserNotifications

/// A notification service extension that shows a push's media and tracks that it was received.
///
/// An app's extension subclasses it and says where the folder is that it shares with the app:
///
///     final class NotificationService: FanfareNotificationService {
///         override var part: PushExtension { PushExtension(folder: groupFolder) }
///     }
open class FanfareNotificationService: UNNotificationServiceExtension {
    private let lock = NSLock()
    private var task: Task<Void, Never>?
    private var request: UNNotificationRequest?
    private var handler: ((UNNotificationContent) -> Void)?

    /// Folder and limits.
    open var part: PushExtension { PushExtension(folder: FanfareOptions().folder) }

    /// The system hands over a push before it shows it.
    open override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        (handler, self.request) = (contentHandler, request)
        let part = part
        // Safety: the request stays as it is, and who shows first is settled under the lock.
        nonisolated(unsafe) let this = self
        task = Task {
            guard let plain = this.request?.content else { return }
            let content = plain.mutableCopy() as? UNMutableNotificationContent
            if case .success(let file)? = await part.received(plain.userInfo),
                let attachment = try? UNNotificationAttachment(identifier: "media", url: file)
            {
                content?.attachments = [attachment]
            }
            this.show(content ?? plain)
        }
    }

    /// The time is over: what there is is shown.
    open override func serviceExtensionTimeWillExpire() {
        task?.cancel()
        if let request { show(request.content) }
    }

    private func show(_ content: UNNotificationContent) {
        let handler = lock.withLock {
            defer { self.handler = nil }
            return self.handler
        }
        handler?(content)
    }
}
#endif
