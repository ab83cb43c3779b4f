public import Foundation

/// What whoever builds the app asks of the kit.
extension Fanfare {
    /// The id of this installation, by which the server's operators find it; nil once the kit was stopped.
    ///
    ///     supportPage.text = await fanfare.deviceID()?.uuidString
    ///
    /// Answers after everything that was said before. It changes when the server has forgotten the device.
    public func deviceID() async -> UUID? { await asked { await $0.device } }

    /// Tells whether the server knows this device, from this start or an earlier one; nil once the kit was stopped.
    ///
    ///     if await fanfare.isRegistered() == true { … }
    ///
    /// The delegate hears of registrations only, and none is due while nothing has changed.
    public func isRegistered() async -> Bool? { await asked { await $0.registrar.isRegistered } }

    /// How many events and answers the server has not taken yet; nil once the kit was stopped.
    ///
    ///     if await fanfare.waitingEvents() == 0 { … }
    ///
    /// Answers after everything that was said before. They are kept over an end of the app.
    public func waitingEvents() async -> Int? { await asked { await $0.waitingEvents + $0.waitingAnswers } }

    /// How many events and answers the server will never count, since the app was installed; nil once the kit was stopped.
    ///
    ///     if let lost = await fanfare.lostEvents(), lost > 0 { report("Fanfare lost \(lost) events") }
    ///
    /// It refused them, or they had no room here while it was away for weeks. The delegate's log has the reason of each.
    public func lostEvents() async -> Int? { await asked { await $0.lostEvents } }
}
