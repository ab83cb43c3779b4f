/// The result of an attempt to register this device.
///
///     func fanfare(_ fanfare: Fanfare, didRegister result: RegistrationResult) {
///         if result.status != .registered { log("\(result.status): \(result.reason ?? "")") }
///     }
public struct RegistrationResult: Sendable, Hashable {
    /// The kind of result.
    public let status: Status
    /// The server's or the system's own words; nil when there is nothing to add.
    public let reason: String?
    /// The JSON pointer of the wrong field, such as `/token`; nil for none.
    public let pointer: String?

    /// The kinds of results of a registration.
    public enum Status: String, Sendable, Hashable, CaseIterable {
        /// The server knows the device.
        case registered
        /// No integration key was given.
        case integrationKeyEmpty = "integration_key_empty"
        /// The server does not know the key.
        case integrationKeyUnknown = "integration_key_unknown"
        /// The user needs a proof from the app's own back end.
        case userNotVerified = "user_not_verified"
        /// The id belongs to another installation, as after a reinstall with a new token; the kit takes a new id by
        /// itself.
        case deviceExists = "device_exists"
        /// A field is invalid, most often the token.
        case tokenInvalid = "token_invalid"
        /// The device asks too often; the kit tries again by itself.
        case tooManyRequests = "too_many_requests"
        /// The server failed; the kit tries again by itself.
        case unexpectedError = "unexpected_error"
        /// No server was given.
        case serverEmpty = "server_empty"
        /// The server was not reached; the kit tries again by itself.
        case connectionIssue = "connection_issue"

        var isPassing: Bool { self == .tooManyRequests || self == .unexpectedError || self == .connectionIssue }
    }

    /// True if trying the same again may help.
    let isPassing: Bool

    init(_ status: Status, reason: String? = nil, pointer: String? = nil, isPassing: Bool? = nil) {
        self.status = status
        self.reason = reason
        self.pointer = pointer
        self.isPassing = isPassing ?? status.isPassing
    }
}
