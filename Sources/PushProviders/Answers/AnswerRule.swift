public import Campaigns

/// The consequences of a class of answers; the table is `AnswerRule.init(for:firstRung:)`.
public struct AnswerRule: Hashable, Sendable {
    /// The consequence for the device.
    public var device: DeviceStep
    /// True if the request counts as one of the device's attempts.
    public var isCharged: Bool
    /// The consequence for the connection that carried the answer.
    public var connection: ConnectionStep
    /// The consequence for the credential.
    public var credential: CredentialStep
    /// The sign that the app's breaker takes from the answer.
    public var breaker: BreakerSign
    /// True if many identical answers stop the campaign, because the content is at fault and not the devices.
    public var isContentFault: Bool

    /// The cooldown of an app after `AnswerClass.laneThrottled` without a `Retry-After` (C5).
    public static let laneCooldown = Duration.seconds(60)

    /// A consequence for a device.
    public enum DeviceStep: Hashable, Sendable {
        /// The device ends with this outcome.
        case settle(Outcome)
        /// The device ends with this outcome, once the wrong-environment guard permits it (design, section 8).
        case settleUnlessGuarded(Outcome)
        /// The device waits on a rung, at first this one; a longer `Retry-After` or a later attempt selects a longer
        /// one.
        case retry(from: Rung)
        /// The device is sent to again at once on another connection, at most three times within a run; then
        /// `otherwise`.
        case again(otherwise: Fallback)
        /// The device stays pending; its shard is set aside with the app (design, section 7).
        case setAside
    }

    /// The consequence when sending again at once did not help.
    public enum Fallback: Hashable, Sendable {
        /// The device waits on the shortest rung, still without a charge.
        case retry(from: Rung)
        /// The same as `DeviceStep.setAside`.
        case setAside
    }

    /// A consequence for a connection.
    public enum ConnectionStep: Hashable, Sendable {
        /// The connection stays in use.
        case keep
        /// The connection takes no new request; it is closed when its streams are done.
        case replace
    }

    /// A consequence for a credential.
    public enum CredentialStep: Hashable, Sendable {
        /// The credential stays in use.
        case keep
        /// Calls `ProviderTokenRule.refused`: a new token if the rule permits it.
        case renew
        /// Calls `ProviderTokenRule.tooManyUpdates`: no new token for a while.
        case stopRenewing
    }

    /// The sign that a breaker takes from an answer.
    public enum BreakerSign: Hashable, Sendable {
        /// The provider and the credential work, whatever the answer says about the device or the content: a run of
        /// faults ends, and a probe has succeeded.
        case healthy
        /// No sign: the same request is sent again with another credential.
        case neutral
        /// One fault in a run of faults.
        case fault
        /// No other request can succeed: the breaker opens at once.
        case opens
    }

    /// Creates a rule.
    public init(
        device: DeviceStep,
        isCharged: Bool = true,
        connection: ConnectionStep = .keep,
        credential: CredentialStep = .keep,
        breaker: BreakerSign = .healthy,
        isContentFault: Bool = false
    ) {
        self.device = device
        self.isCharged = isCharged
        self.connection = connection
        self.credential = credential
        self.breaker = breaker
        self.isContentFault = isContentFault
    }

    /// The rule for a class (design, sections 6 and 8; `push-protocols.md`, C5).
    ///
    /// `firstRung` is the first rung of the provider's ladder for throttled devices and service faults.
    public init(for kind: AnswerClass, firstRung: Rung) {
        switch kind {
        case .accepted:
            self.init(device: .settle(.accepted))
        case .tokenDead:
            self.init(device: .settle(.invalid))
        case .tokenSuspect:
            self.init(device: .settleUnlessGuarded(.invalid))
        case .payloadBad, .bug:
            self.init(device: .settle(.failed), isContentFault: true)
        case .credential:
            self.init(device: .setAside, isCharged: false, breaker: .opens)
        case .expiredCredential:
            // A connection on which a token expired stays unusable (pushy), and a thousand streams may report that at
            // once. So the answer is no sign for the breaker unless sending again does not help.
            self.init(
                device: .again(otherwise: .setAside),
                isCharged: false,
                connection: .replace,
                credential: .renew,
                breaker: .neutral
            )
        case .wrongKeyForConnection:
            self.init(device: .again(otherwise: .setAside), isCharged: false, connection: .replace, breaker: .neutral)
        case .deviceThrottled:
            self.init(device: .retry(from: firstRung))
        case .laneThrottled:
            self.init(device: .setAside, isCharged: false, credential: .stopRenewing, breaker: .opens)
        case .serviceFault:
            self.init(device: .retry(from: firstRung), breaker: .fault)
        case .connectionFault:
            self.init(
                device: .again(otherwise: .retry(from: .seconds5)),
                isCharged: false,
                connection: .replace,
                breaker: .fault
            )
        }
    }

    /// Returns the consequence for a device whose answer carried a `Retry-After`, which sending at once would ignore.
    public func step(retryAfter: Int?) -> DeviceStep {
        guard let retryAfter, retryAfter > 0, case .again(otherwise: .retry(let rung)) = device else { return device }
        return .retry(from: rung)
    }
}
