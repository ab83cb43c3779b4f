/// The providers that the simulator can play.
public enum SimulatedProvider: String, Sendable, CaseIterable {
    /// Apple's push service.
    case apns
    /// Firebase Cloud Messaging, the HTTP v1 API.
    case fcm
    /// A push service of the web (RFC 8030).
    case webPush = "webpush"
}

/// One provider as the simulator plays it: its rules and its wording.
///
/// The driver knows no provider but through this: connections, faults, counts and latencies are the same for all.
protocol Peer: Sendable {
    var provider: SimulatedProvider { get }
    /// What is kept of a request's body; a little more than the provider would ever accept.
    var bodyBytesKept: Int { get }
    /// A connection may have one stream only until it has authenticated.
    var startsWithOneStream: Bool { get }

    /// What the provider remembers of a connection from now on.
    func connectionOpened(hasClientCertificate: Bool) -> any PeerConnection

    /// How the provider words a behaviour that is no acceptance; `now` in milliseconds since 1970.
    func answer(to behaviour: Behaviour, faults: Faults, now: Int64) -> Answer

    /// The key that requests of this token are counted under; nil when the text can be no token of the provider.
    func key(of token: ArraySlice<UInt8>) -> DeviceTokenKey?

    /// Adds what the provider alone counts.
    func addTotals(to statistics: inout Statistics)

    /// Makes credentials that it gave out unknown before their time; nothing for a provider that gives none.
    func revokeCredentials()

    /// Forgets what it has seen.
    func reset()

    /// What the people with these devices would see; nil for a provider that keeps no devices.
    var devices: SimulatedDevices? { get }
}

/// What a provider remembers of one connection.
///
/// Confined to the connection's event loop.
protocol PeerConnection: AnyObject {
    /// More than one stream is allowed.
    var isAuthenticated: Bool { get }

    /// Takes over faults before a request is judged: some of them are the provider's own.
    func judge(_ request: borrowing ProviderRequest, faults: Faults, now: Int64) -> Finding

    /// The answer to the request that ``judge(_:faults:now:)`` passed last, when no fault is in the way.
    ///
    /// `counts` is what the device token has seen before.
    func accept(
        _ addressee: Addressee,
        request: borrowing ProviderRequest,
        before counts: TokenCounts,
        now: Int64
    ) -> Answer

    /// Adds the fields that every answer of the provider has.
    func complete(_ answer: inout Answer, to request: borrowing ProviderRequest)
}

/// What a provider's rules say of a request.
enum Finding {
    /// Well formed and allowed; what happens now is up to the device.
    case passed(Addressee)
    /// Refused; the device where the request named one.
    case refused(Answer, Addressee?)
    /// Answered, and no message: a token of the OAuth endpoint, a dry run. Not among the counted requests.
    case aside(Answer)
}

/// The device that a message is for.
struct Addressee {
    let key: DeviceTokenKey
    /// The token as it was written, for rules that go by its beginning; nil when the key says it all.
    var text: ArraySlice<UInt8>?
    /// The answer is wanted, the message is not: nothing is counted for the device.
    var isDryRun = false
}
