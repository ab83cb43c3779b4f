import Foundation

/// What the server is to know of this device.
struct DeviceFacts: Codable, Sendable, Equatable {
    var token: String?
    var provider = "apns"
    var environment: String?
    var user: String?
    /// Whether the app's back end vouched for the user: then a registration without its word does not name the user.
    var isUserProven: Bool?
    var permission = "unknown"
    var locale: String?
    var timeZone: String?
    var appVersion: String?
    var kitVersion: String?
    var tags: Set<String> = []
    var attributes: [String: JSON] = [:]

    /// The body of a registration that makes of what the server has been told what is true now; nil without a token.
    ///
    /// Everything that is known goes along: the server may have forgotten, and a registration costs little. But a user
    /// whom the app's back end vouched for is not named again without its word (`hasProof`), which would be refused.
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
        body["badge"] = badge.map { .number(Double($0)) }
        // A log-out is said once; a device that never had a user says nothing of one.
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
        // The server knows no null; one that is empty has no text.
        if !changed.isEmpty { body["attributes"] = .object(changed.mapValues { $0 == .null ? .string("") : $0 }) }
        return body
    }
}
