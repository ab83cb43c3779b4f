import Foundation

/// The facts about this device that are sent to the server.
struct DeviceFacts: Codable, Sendable, Equatable {
    var token: String?
    var provider = "apns"
    var environment: String?
    var user: String?
    /// True if the app's back end vouched for the user: then a registration without a proof does not name the user.
    var isUserProven: Bool?
    var permission = "unknown"
    var locale: String?
    var timeZone: String?
    var appVersion: String?
    var kitVersion: String?
    var tags: Set<String> = []
    var attributes: [String: JSON] = [:]
    /// The tokens for Live Activities; nil for an app that has never had one.
    var activities: ActivityFacts?

    /// Returns the body of a registration that brings the server up to date; nil without a token.
    ///
    /// It contains all known values: the server may have forgotten them, and a registration costs little. A user for
    /// whom the app's back end vouched is not named again without a proof (`hasProof`), because the server would refuse
    /// that.
    func body(since told: DeviceFacts?, badge: Int?, hasProof: Bool = false) -> [String: JSON]? {
        guard let token else { return nil }
        var body: [String: JSON] = [
            "token": .string(token), "provider": .string(provider), "permission": .string(permission),
        ]
        body["environment"] = environment.map(JSON.string)
        body["locale"] = locale.map(JSON.string)
        body["time_zone"] = timeZone.map(JSON.string)
        body["app_version"] = appVersion.map(JSON.string)
        body["kit_version"] = kitVersion.map(JSON.string)
        body["activities"] = activities?.json
        body["badge"] = badge.map { .number(Double($0)) }
        // A log-out is sent once; a device that never had a user sends none.
        let isVouched = hasProof || isUserProven != true || told?.user != user
        if let user {
            body["user"] = isVouched ? .string(user) : nil
        } else if told?.user != nil {
            body["user"] = .null
        }
        let before = told?.tags ?? []
        let (add, remove) = (tags.subtracting(before).sorted(), before.subtracting(tags).sorted())
        if !add.isEmpty || !remove.isEmpty {
            body["tags"] = .object(["add": .array(add.map(JSON.string)), "remove": .array(remove.map(JSON.string))])
        }
        let changed = attributes.filter { told?.attributes[$0.key] != $0.value }
        // The server has no null; an empty text stands for it.
        if !changed.isEmpty { body["attributes"] = .object(changed.mapValues { $0 == .null ? .string("") : $0 }) }
        return body
    }
}
