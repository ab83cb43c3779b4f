public import Foundation

/// Questions that a developer asks the kit while building or supporting an app.
extension Fanfare {
    /// The id of this installation, by which the server's operators find it; nil after the kit was stopped.
    ///
    ///     supportPage.text = await fanfare.deviceID()?.uuidString
    ///
    /// The answer comes after all earlier calls have taken effect. The id changes when the server has forgotten the
    /// device.
    public func deviceID() async -> UUID? { await asked { await $0.device } }

    /// Returns true if the server knows this device, from this start or an earlier one; nil after the kit was stopped.
    ///
    ///     if await fanfare.isRegistered() == true { … }
    ///
    /// The delegate hears only of registrations, and no registration is due while nothing has changed.
    public func isRegistered() async -> Bool? { await asked { await $0.registrar.isRegistered } }

    /// The number of events and poll answers that the server has not taken yet; nil after the kit was stopped.
    ///
    ///     if await fanfare.waitingEvents() == 0 { … }
    ///
    /// The answer comes after all earlier calls have taken effect. Waiting events survive the end of the app.
    public func waitingEvents() async -> Int? { await asked { await $0.waitingEvents + $0.waitingAnswers } }

    /// The number of events and poll answers lost since the app was installed; nil after the kit was stopped.
    ///
    ///     if let lost = await fanfare.lostEvents(), lost > 0 { report("Fanfare lost \(lost) events") }
    ///
    /// The server refused them, or the device ran out of room for them while the server was away for weeks. The
    /// delegate's log has the reason for each.
    public func lostEvents() async -> Int? { await asked { await $0.lostEvents } }
}
