/// How an attempt to register this device ended.
///
///     func fanfare(_ fanfare: Fanfare, didRegister result: RegistrationResult) {
///         if result.status != .registered { log("\(result.status): \(result.reason ?? "")") }
///     }
public struct RegistrationResult: Sendable, Hashable {
    /// What it came to.
    public let status: Status
    /// The server's or the system's own words; nil when there is nothing to add.
    public let reason: String?
    /// The field that is wrong, such as `/token`; nil for none.
    public let pointer: String?

    /// What a registration comes to.
    public enum Status: String, Sendable, Hashable, CaseIterable {
        /// The server knows the device.
        case registered
        /// No integration key was given.
        case integrationKeyEmpty = "integration_key_empty"
        /// The server does not know the key.
        case integrationKeyUnknown = "integration_key_unknown"
        /// The user needs a proof by the app's own back end.
        case userNotVerified = "user_not_verified"
        /// The id is another installation's, as after a reinstall with a new token; the kit takes a new one by itself.
        case deviceExists = "device_exists"
        /// A field cannot be used, most often the token.
        case tokenInvalid = "token_invalid"
        /// The device asks too often; it is tried again by itself.
        case tooManyRequests = "too_many_requests"
        /// The server failed; it is tried again by itself.
        case unexpectedError = "unexpected_error"
        /// No server was given.
        case serverEmpty = "server_empty"
        /// The server was not reached; it is tried again by itself.
        case connectionIssue = "connection_issue"

        var isPassing: Bool { self == .tooManyRequests || self == .unexpectedError || self == .connectionIssue }
    }

    /// Whether trying the same again may help.
    let isPassing: Bool

    init(_ status: Status, reason: String? = nil, pointer: String? = nil, isPassing: Bool? = nil) {
        self.status = status
        self.reason = reason
        self.pointer = pointer
        self.isPassing = isPassing ?? status.isPassing
    }
}
