public import Campaigns

/// The meaning of Apple's answer to an order about channels.
public enum ChannelAnswer: Equatable, Sendable {
    /// The id of the new channel.
    case created(id: String)
    /// The storage policy of the channel.
    case found(BroadcastChannel.Storage)
    /// The channel is gone for good.
    case deleted
    /// The ids of all channels.
    case listed([String])
    /// Apple knows no such channel.
    case unknownChannel
    /// Apple keeps no more channels for the app in this environment.
    case limitReached
    /// The credential is too old; another one may be accepted.
    case expiredCredential
    /// Any other refusal, with Apple's own reason.
    case refused(status: Int, reason: String)
    /// A success that does not say what it should.
    case unreadable(status: Int)

    /// Reads an answer to an order; `channelID` is the field `apns-channel-id`, empty without one.
    ///
    /// Never traps, whatever the bytes.
    public init(to order: ChannelService.Order, status: Int, channelID: [UInt8], body: [UInt8]) {
        guard (200...299).contains(status) else {
            self = Self.refusal(of: order, status: status, body: body)
            return
        }
        switch order {
        case .create:
            let id = String(decoding: channelID, as: UTF8.self)
            self = ChannelIDForm().token(id).map { ChannelAnswer.created(id: $0.text) } ?? .unreadable(status: status)
        case .read:
            let number = JSONReader.read(body).value?["message-storage-policy"]?.integer
            self =
                number.flatMap { BroadcastChannel.Storage(number: $0) }.map { ChannelAnswer.found($0) }
                ?? .unreadable(status: status)
        case .delete: self = .deleted
        case .list:
            guard case .array(let ids)? = JSONReader.read(body).value?["channels"] else {
                self = .unreadable(status: status)
                return
            }
            self = .listed(ids.compactMap(\.string))
        }
    }

    private static func refusal(of order: ChannelService.Order, status: Int, body: [UInt8]) -> ChannelAnswer {
        let reason = JSONReader.read(body).value?["reason"]?.string.map { ReasonText.sanitized(Array($0.utf8)) }
        switch (status, reason) {
        case (_, "ChannelNotRegistered"), (_, "BadChannelId"): return .unknownChannel
        // Seen where a channel that is gone is removed again.
        case (404, "BadPath"):
            if case .delete = order { return .unknownChannel }
            return .refused(status: status, reason: "BadPath")
        case (_, "CannotCreateChannelConfig"): return .limitReached
        case (403, "ExpiredProviderToken"), (403, "InvalidProviderToken"): return .expiredCredential
        default: return .refused(status: status, reason: reason ?? "Status\(status)")
        }
    }
}
