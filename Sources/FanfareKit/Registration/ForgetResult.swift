/// What came of asking the server to forget this device.
///
///     if case .failed(let reason) = await fanfare.forget() { show("Try again later: \(reason)") }
public enum ForgetResult: Sendable, Hashable {
    /// Neither the server nor this device knows anything any more.
    case forgotten
    /// Nothing has changed, for the server was not reached or failed.
    case failed(reason: String)
}
