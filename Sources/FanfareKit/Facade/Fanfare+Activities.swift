public import Foundation

/// The tokens of Live Activities; where there is ActivityKit, `follow(_:id:)` hands over all of them in one call.
extension Fanfare {
    /// Sets the token with which a campaign starts Live Activities of a type.
    ///
    ///     fanfare.setStartToken(token, type: "MatchAttributes")
    public func setStartToken(_ token: Data, type: String) { setActivity(token, type: type, id: nil) }

    /// Sets the token of a Live Activity that runs; `id` is the app's name of what it shows, the same on all devices.
    ///
    ///     fanfare.setActivityToken(token, type: "MatchAttributes", id: "match-7")
    public func setActivityToken(_ token: Data, type: String, id: String) { setActivity(token, type: type, id: id) }

    /// Tells the server that a Live Activity is over on this device.
    ///
    ///     fanfare.activityEnded(type: "MatchAttributes", id: "match-7")
    public func activityEnded(type: String, id: String) {
        changeActivities { $0.remove(type: type, id: id) }
    }

    private func setActivity(_ token: Data, type: String, id: String?) {
        let digits = token.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        changeActivities { $0.set(digits, type: type, id: id) }
    }

    /// Changes the tokens for Live Activities, and tells the server.
    func changeActivities(_ body: @escaping @Sendable (inout ActivityFacts) -> Void) {
        order { phone in
            await phone.change { facts in
                var activities = facts.activities ?? ActivityFacts()
                body(&activities)
                facts.activities = activities
            }
        }
    }
}
