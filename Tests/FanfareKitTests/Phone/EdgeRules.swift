import Foundation

#if canImport(Fleet)
import Campaigns
import Delivery
import PushProviders

import Settings
#endif

/// The verdicts of the edge's own decoders and rules, so that these tests' server accepts nothing that the edge
/// refuses.
///
/// The kit's own repository (`Deploy/kit-release.sh`) has no edge: there everything is accepted.
enum EdgeRules {
    /// The reason of a refusal, in the edge's own words.
    struct Refusal: Equatable {
        var status = 422
        var word = "unexpected_error"
        var reason: String
        var pointer: String?

        /// Returns the refusal for an unknown key.
        static func unknown(_ reason: String) -> Refusal {
            Refusal(status: 403, word: "integration_key_unknown", reason: reason)
        }

        static let noContent = Refusal(status: 404, reason: "there is no content of this id")
    }

    #if !canImport(Fleet)
    static let areThere = false

    static func registration(_ body: Data, id: String) -> Refusal? { nil }
    static func isAnothers(_ body: Data, token: String?, user: String?, provenUser: String?) -> Bool { false }
    static func isSecret(_ text: String) -> Bool { true }
    static func tracking(_ body: Data) -> Refusal? { nil }
    static func answers(_ body: Data, to poll: String, _ page: Data?) -> Refusal? { nil }
    static func session(_ body: Data) -> Refusal? { nil }
    static func opens(_ content: String, ofCampaign: Bool, shown: String?) -> Bool { true }
    static func names(_ field: String?, _ tag: String) -> Bool { field == tag }
    static func signed(_ name: String, of campaign: String) -> String {
        name + String(repeating: "A", count: max(0, 22 - name.utf8.count))
    }
    #endif
}

#if canImport(Fleet)
extension EdgeRules {
    static let areThere = true

    private static let app = "news"
    private static let now = Timestamp(milliseconds: 1_790_000_000_000)
    private static let keys = Result { try MessageKeys(file: Array("1 \(String(repeating: "5a", count: 32))".utf8)) }

    /// Returns the first problem of a body in the edge's words.
    private static func refusal(_ problems: [Problem]) -> Refusal? {
        let ofToken = ["/token", "/provider", "/environment"]
        guard let first = problems.first(where: { ofToken.contains($0.pointer) }) ?? problems.first else { return nil }
        return Refusal(
            word: ofToken.contains(first.pointer) ? "token_invalid" : "unexpected_error",
            reason: [first.detail, first.fix].compactMap(\.self).joined(separator: "; "),
            pointer: first.pointer
        )
    }

    private static func read(_ body: Data) -> (value: JSONValue?, refusal: Refusal?) {
        let reading = JSONReader.read([UInt8](body))
        return (reading.value, refusal(reading.problems.map(\.problem)))
    }

    private static func decoded(_ body: Data, id: String) -> (registration: EdgeRegistration?, refusal: Refusal?) {
        let (value, broken) = read(body)
        guard let value else { return (nil, broken) }
        let (registration, problems) = EdgeRegistration.decode(value, installation: id, ProviderRegistry.tokens)
        return (registration, refusal(problems))
    }

    /// Returns the refusal of an unreadable registration.
    static func registration(_ body: Data, id: String) -> Refusal? {
        guard EdgeRegistration.isInstallation(id) else { return Refusal(reason: "\(id) is no device's id") }
        return decoded(body, id: id).refusal
    }

    /// Returns true if a known id, with a token and perhaps a user, does not belong to the device that registers with
    /// it and an app's key.
    static func isAnothers(_ body: Data, token: String?, user: String?, provenUser: String?) -> Bool {
        guard let word = decoded(body, id: "device").registration else { return false }
        var before = word.registration.device
        before.token = token ?? ""
        let tokens = [before, word.registration.device].map { device in
            Adoption.Token(provider: device.provider, bytes: ProviderRegistry.tokens.bytes(of: device))
        }
        let known = Adoption.Known(token: tokens[0], user: user, secretHash: nil)
        return Adoption.judge(known, token: tokens[1], proof: .integrationKey(user: provenUser)) == .anothers
    }

    /// Returns true if a text can be a device's secret.
    static func isSecret(_ text: String) -> Bool { EdgeSecret.isDevices(text) }

    private static func read(_ message: String?) -> MessageID? {
        guard let message, let keys = try? keys.get() else { return nil }
        return MessageID(message.utf8, app: app, keys: keys)
    }

    /// Returns the problem of events, or of an event's signature.
    static func tracking(_ body: Data) -> Refusal? {
        let request = TrackingRequest([UInt8](body), now: now)
        if let refusal = refusal(request.problems) { return refusal }
        guard let made = request.events.first(where: { read($0.messageID) == nil }) else { return nil }
        let reason = "m was not signed for this app; send fanfare.m of the push as it came"
        return Refusal(reason: reason, pointer: "/events/\(made.index)/m")
    }

    /// Returns the problem of answers: of the body, of their signature, or as answers to a served poll.
    static func answers(_ body: Data, to poll: String, _ page: Data?) -> Refusal? {
        let request = PollAnswersRequest([UInt8](body), now: now)
        if let refusal = refusal(request.problems) { return refusal }
        guard let message = read(request.messageID) else {
            return Refusal(reason: "m was not signed for this app", pointer: "/m")
        }
        let questions = page.flatMap { read($0).value }
        guard message.campaign == number(poll), let questions,
            let form = PollForm(job: ["content": ["poll": questions]])
        else { return Refusal(status: 404, reason: "there is no poll \(poll), or m is not of it", pointer: "/m") }
        return refusal(request.problems(against: form))
    }

    /// Returns the problem of a session's start.
    static func session(_ body: Data) -> Refusal? {
        let (value, broken) = read(body)
        guard let value else { return broken }
        return refusal(SessionStart.decode(value).problems)
    }

    /// Returns true if the holder of this signed id may see the content; a campaign's own has the campaign's name.
    static func opens(_ content: String, ofCampaign: Bool, shown: String?) -> Bool {
        let owner: ContentAccess.Owner = ofCampaign ? .campaign(number(content), isReleased: true) : .operator
        return ContentAccess.opens(owner, shown: read(shown)?.campaign)
    }

    /// Returns true if the field names the tag.
    static func names(_ field: String?, _ tag: String) -> Bool { EntityTags.names(field, tag) }

    /// Returns a ledger number for a name (FNV-1a).
    private static func number(_ name: String) -> UInt32 {
        name.utf8.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
    }

    /// Returns a device's message id, derived from a name, as in a campaign's push.
    static func signed(_ name: String, of campaign: String) -> String {
        guard let keys = try? keys.get() else { return "" }
        return MessageID.signed(campaign: number(campaign), devices: [number(name)], app: app, keys: keys)[0]
    }
}
#endif
