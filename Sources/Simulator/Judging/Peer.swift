/// One simulated provider: its rules and its wording.
///
/// The driver knows a provider only by this protocol: connections, faults, counts and latencies are the same for all.
protocol Peer: Sendable {
    var provider: SimulatedProvider { get }
    /// The bytes of a request's body that are kept; a little more than the provider would ever accept.
    var bodyBytesKept: Int { get }
    /// True if a connection may have only one stream until it has authenticated.
    var startsWithOneStream: Bool { get }

    /// Creates the provider's state of a new connection.
    func connectionOpened(hasClientCertificate: Bool) -> any PeerConnection

    /// Returns the provider's answer for a behavior other than acceptance; `now` is in milliseconds since 1970.
    func answer(to behaviour: Behaviour, faults: Faults, now: Int64) -> Answer

    /// Returns the key under which this token's requests are counted; nil when the text cannot be a token of the
    /// provider.
    func key(of token: ArraySlice<UInt8>) -> DeviceTokenKey?

    /// Adds the counts that only this provider has.
    func addTotals(to statistics: inout Statistics)

    /// Revokes the credentials it has issued; does nothing for a provider that issues none.
    func revokeCredentials()

    /// Resets the provider's memory.
    func reset()

    /// The provider's devices; nil for a provider without devices.
    var devices: SimulatedDevices? { get }
}

/// A provider's state of one connection.
///
/// Confined to the connection's event loop.
protocol PeerConnection: AnyObject {
    /// True if more than one stream is allowed.
    var isAuthenticated: Bool { get }

    /// Judges a request; `faults` are the current ones, because some concern the provider itself.
    func judge(_ request: borrowing ProviderRequest, faults: Faults, now: Int64) -> Finding

    /// Returns the answer to the request that ``judge(_:faults:now:)`` passed last, if no fault prevents it.
    ///
    /// `counts` are the device token's previous counts.
    func accept(
        _ addressee: Addressee,
        request: borrowing ProviderRequest,
        before counts: TokenCounts,
        now: Int64
    ) -> Answer

    /// Adds the fields that the provider sends with every answer.
    func complete(_ answer: inout Answer, to request: borrowing ProviderRequest)
}

/// A provider's verdict on a request.
enum Finding {
    /// Well formed and allowed; the device decides the rest.
    case passed(Addressee)
    /// Refused; with the device if the request named one.
    case refused(Answer, Addressee?)
    /// Answered without being a message: a token of the OAuth endpoint, a dry run. Not among the counted requests.
    case aside(Answer)
}
