import Campaigns
import FanfareKit

/// Draws notifications inside the app, in the terminal.
@MainActor final class PhoneNotifier: InAppNotifier {
    /// The notifier's behavior.
    enum Habit: String, CaseIterable {
        /// No notifier: the system shows the notification.
        case off
        case on
        case decline
        case fail
    }

    /// The error of a failing notifier.
    struct Failure: Error {}

    weak var session: PhoneSession?
    var habit = Habit.off
    /// The notification in the foreground.
    private(set) var notification: InAppNotification?

    func show(_ notification: InAppNotification) throws -> Bool {
        if habit == .fail { throw Failure() }
        guard habit == .on else { return false }
        self.notification = notification
        session?.say(notification)
        return true
    }

    func hide(_ notification: InAppNotification) {
        self.notification = nil
        session?.say(
            PhoneLine("hidden", "the in-app notification is gone", ["campaign": .string(notification.push.campaign)])
        )
    }

    /// Ends the notification in the foreground; returns false when there is none.
    func end(_ how: (InAppNotification) -> Void) -> Bool {
        guard let notification else { return false }
        self.notification = nil
        how(notification)
        return true
    }
}
