/// The result of asking the server to forget this device.
///
///     if case .failed(let reason) = await fanfare.forget() { show("Try again later: \(reason)") }
public enum ForgetResult: Sendable, Hashable {
    /// Server and device have deleted everything.
    case forgotten
    /// Nothing has changed, because the server was not reached or failed.
    case failed(reason: String)
}
