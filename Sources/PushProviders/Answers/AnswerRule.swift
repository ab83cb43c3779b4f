public import Campaigns

/// What is done about a class of answers; the table is `AnswerRule.init(for:firstRung:)`.
public struct AnswerRule: Hashable, Sendable {
    /// What becomes of the device.
    public var device: DeviceStep
    /// Whether the request counts as one of the device's attempts.
    public var isCharged: Bool
    /// What becomes of the connection that carried the answer.
    public var connection: ConnectionStep
    /// What becomes of the credential.
    public var credential: CredentialStep
    /// What the app's breaker makes of it.
    public var breaker: BreakerSign
    /// Whether many identical answers stop the campaign: the content's fault, not the devices'.
    public var isContentFault: Bool

    /// How long an app rests after `AnswerClass.laneThrottled` without a `Retry-After` (C5).
    public static let laneCooldown = Duration.seconds(60)

    /// What becomes of a device.
    public enum DeviceStep: Hashable, Sendable {
        /// It ends here.
        case settle(Outcome)
        /// It ends here, once the wrong-environment guard lets it (design, section 8).
        case settleUnlessGuarded(Outcome)
        /// It takes a rung, at first this one; a longer `Retry-After` or a later attempt takes a longer one.
        case retry(from: Rung)
        /// It is sent to at once on another connection, at most three times within a run; then `otherwise`.
        case again(otherwise: Fallback)
        /// It stays pending; its shard is set aside with the app (design, section 7).
        case setAside
    }

    /// What follows when sending at once did not help.
    public enum Fallback: Hashable, Sendable {
        /// The shortest rung, still not charged.
        case retry(from: Rung)
        /// As `DeviceStep.setAside`.
        case setAside
    }

    /// What becomes of a connection.
    public enum ConnectionStep: Hashable, Sendable {
        /// It goes on.
        case keep
        /// No new request on it; it is closed when its streams are done.
        case replace
    }

    /// What becomes of a credential.
    public enum CredentialStep: Hashable, Sendable {
        /// Nothing.
        case keep
        /// `ProviderTokenRule.refused`: a new token if the rule allows it.
        case renew
        /// `ProviderTokenRule.tooManyUpdates`: no new token for a while.
        case stopRenewing
    }

    /// What a breaker makes of an answer.
    public enum BreakerSign: Hashable, Sendable {
        /// The provider and the credential work, whatever it thinks of the device or the content: a run of faults ends
        /// here, and a probe has found what it looked for.
        case healthy
        /// Says nothing: the same request is made again with another credential.
        case neutral
        /// One fault of a run.
        case fault
        /// No other request can fare better: it opens at once.
        case opens
    }

    /// A rule.
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
    /// `firstRung` is where the provider's ladder starts for throttled devices and an unwell service.
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
            // A connection on which a token expired stays wedged (pushy), and a thousand streams may say so at once:
            // no sign for the breaker unless sending again does not help.
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

    /// What becomes of a device whose answer carried a `Retry-After`: sending at once would disregard it.
    public func step(retryAfter: Int?) -> DeviceStep {
        guard let retryAfter, retryAfter > 0, case .again(otherwise: .retry(let rung)) = device else { return device }
        return .retry(from: rung)
    }
}
