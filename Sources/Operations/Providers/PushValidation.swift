package import Campaigns
package import Delivery
import Logging
import NIOCore
import NIOPosix
package import PushProviders
package import Settings
import Store
import Transport

/// A provider's judgement of a job for one device, in a mode that sends no push.
///
/// The request is the one that a sender would make, over the same connections and with the same credential, plus the
/// provider's flag for validation. It exists only for providers with such a flag (`PushProvider.canValidate`).
package struct PushValidation: Sendable, Equatable {
    /// The provider that was asked.
    package let provider: ProviderName
    /// The result.
    package let verdict: Verdict

    /// The result of a validation.
    package enum Verdict: Sendable, Equatable {
        /// The push would be accepted.
        case accepted
        /// The push would be refused; the HTTP status and the answer's meaning.
        case refused(status: Int, Answer)
        /// The device would get no push: with its variables no valid one can be made.
        case leftOut(LeftOut)
        /// There was no question or no answer, for this reason (fit for people, without secrets).
        case unanswered(String)
    }

    /// The time to wait for an answer; more than any provider's own deadline.
    private static let timeout = Duration.seconds(20)

    /// Returns the providers that can validate a job, among those that the app has accounts with, in their order.
    package static func providers(of job: Job, app: AppConfiguration) -> [any PushProvider] {
        app.accounts.map(\.account.provider).filter { $0.canValidate && job.mayReach($0.name) }
    }

    /// Asks the provider of a device once; the app must have an account with it.
    ///
    /// A credential that is refused as too old is replaced once, as senders do. Throws for an account whose files
    /// cannot be used.
    package static func ask(
        _ job: Job,
        device: Device,
        app: AppConfiguration
    ) async throws(ConfigurationError) -> PushValidation {
        guard let account = try AppDirectory([app]).account(app: app.name, provider: device.provider) else {
            preconditionFailure("the app \(app.name) has no account with \(device.provider.rawValue)")
        }
        let question = Question(job, device, KnownApp(app), account: account)
        return PushValidation(provider: device.provider, verdict: await question.verdict())
    }

    /// A shard of one device.
    private struct Question {
        private let account: LoadedAccount
        private let shard: Shard
        /// The instant at which the campaign would begin; the time to live counts from it.
        private let release: Timestamp

        init(_ job: Job, _ device: Device, _ app: KnownApp, account: LoadedAccount) {
            let now = WallClock.now().asRead
            let job = job.asSent(at: now)
            let variants = app.variants(of: job, for: account.account.provider)
            let push = variants.pushes[variants.index(of: device.locale)]
            let release = ExpiryRule.release(createdAt: now, sendAt: job.delivery.sendAt, acceptedAt: now)
            let facts = Shard.Facts(
                push,
                of: job,
                provider: device.provider,
                environment: device.environment,
                expiresAt: job.expiresAt(acceptedAt: now)
            )
            var variables = device.variables
            // The registry's count is not known here, so the longest one is used, as in a preview.
            if job.content.badgeChange?.step != nil { variables[BadgeStep.variable] = String(BadgeStep.countMax) }
            var devices = DeviceBatch()
            devices.append(token: ProviderRegistry.tokens.bytes(of: device), variables: variables)
            shard = Shard(
                id: ShardID(key: ShardKey(campaign: 0, part: 0, ordinal: 0)),
                generation: 0,
                attempt: 1,
                facts: facts,
                firstIndex: 0,
                positions: [],
                devices: devices
            )
            self.account = account
            self.release = release
        }

        func verdict() async -> Verdict {
            let endpoint = account.account.endpoint(shard.facts.environment)
            switch await account.supply(for: endpoint) {
            case .awaited: return .unanswered("the token endpoint does not answer")
            case .lacking(.refused(let reason)): return .unanswered("no token: \(reason)")
            case .lacking(.passing(let reason)): return .unanswered("no token now: \(reason)")
            case .ready(let first):
                let verdict = await send(first, to: endpoint)
                guard case .refused(_, let answer) = verdict, answer.kind == .expiredCredential else { return verdict }
                let now = WallClock.now().asRead
                let finding = account.judge(.renew, generation: first.generation, at: endpoint, skew: nil, now: now)
                guard finding == .replaced, case .ready(let second) = await account.supply(for: endpoint) else {
                    return verdict
                }
                return await send(second, to: endpoint)
            }
        }

        private func send(_ authorization: Authorization, to endpoint: ProviderEndpoint) async -> Verdict {
            let account = account
            let prepared = account.account.validation(
                for: shard.facts,
                authorization: authorization.value,
                now: release
            )
            guard let prepared else { return .unanswered("the provider delivers whatever it accepts") }
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            let promise = loop.makePromise(of: Verdict.self)
            loop.execute { [shard] in
                let template = RequestTemplate(prepared, shard, account: account)
                SingleRequest.send(
                    on: loop,
                    within: PushValidation.timeout,
                    pool: {
                        account.pool(
                            endpoint: endpoint,
                            loop: loop,
                            isApart: true,
                            logger: Logger(label: "validation"),
                            source: $0
                        )
                    },
                    write: { request in template.write(0, &request) },
                    ended: { promise.succeed(Verdict($0, prepared, leftOut: template.leftOut)) }
                )
            }
            // The promise is only ever succeeded, so this does not throw.
            return (try? await promise.futureResult.get()) ?? .unanswered("no answer")
        }
    }
}

extension PushValidation.Verdict {
    fileprivate init(_ ending: SingleRequest.Ending, _ requests: PreparedRequests, leftOut: LeftOut?) {
        switch ending {
        case .answered(let answer):
            let meaning = requests.classify(
                status: answer.status,
                body: answer.body.span,
                retryAfter: answer.retryAfter.span,
                now: WallClock.now().asRead
            )
            self = meaning.kind == .accepted ? .accepted : .refused(status: answer.status, meaning)
        case .unwritten: self = .leftOut(leftOut ?? .notSealed)
        case .unanswered(let reason): self = .unanswered("it did not answer (\(reason))")
        case .unconnected(let failure): self = .unanswered(failure.description)
        case .overdue: self = .unanswered("no answer in 20 s")
        }
    }
}
