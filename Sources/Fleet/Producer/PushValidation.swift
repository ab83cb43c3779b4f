public import Campaigns
public import Delivery
import Logging
import NIOCore
import NIOPosix
public import PushProviders
import Store

/// What a provider says to a job and one device when it is only to judge them: nobody gets a push.
///
/// The request is the one that a sender would make, over the same connections and with the same credential, but for the
/// word that says that it is not meant. Only for providers that have such a word (`PushProvider.canValidate`).
public struct PushValidation: Sendable, Equatable {
    /// Who was asked.
    public let provider: ProviderName
    /// What came of it.
    public let verdict: Verdict

    /// What came of a question.
    public enum Verdict: Sendable, Equatable {
        /// It would be taken.
        case accepted
        /// It would not; the HTTP status and what the answer means.
        case refused(status: Int, Answer)
        /// The device would not be sent to: its variables make no push that can be sent.
        case leftOut(LeftOut)
        /// Nobody was asked, or nobody answered, for this reason (fit for people, without secrets).
        case unanswered(String)
    }

    /// After this there is no answer; more than any provider's own deadline.
    private static let patience = Duration.seconds(20)

    /// The providers that can be asked about a job, among those that the app has accounts with; in their order.
    public static func providers(of job: Job, app: AppConfiguration) -> [any PushProvider] {
        app.accounts.map(\.account.provider).filter { $0.canValidate && job.mayReach($0.name) }
    }

    /// Asks the provider of a device, with which the app has an account, once.
    ///
    /// A credential that is refused as too old is replaced once, as senders do it. Throws for an account whose files
    /// cannot be used.
    public static func ask(
        _ job: Job,
        device: Device,
        app: AppConfiguration
    ) async throws(ConfigurationError) -> PushValidation {
        guard let account = try AppDirectory([app]).account(app: app.name, provider: device.provider) else {
            preconditionFailure("the app \(app.name) has no account with \(device.provider.rawValue)")
        }
        let question = Question(
            job,
            device,
            app.rules,
            account: account,
            carriesMessageID: app.messageKeys != nil
        )
        return PushValidation(provider: device.provider, verdict: await question.verdict())
    }

    /// A shard of one device.
    private struct Question {
        private let account: LoadedAccount
        private let shard: Shard
        /// When the campaign would begin: what is left to it counts from there.
        private let release: Timestamp

        init(
            _ job: Job,
            _ device: Device,
            _ rules: AppContentRules,
            account: LoadedAccount,
            carriesMessageID: Bool
        ) {
            let now = WallClock.now().asRead
            let job = rules.completed(account.account.completed(job.asSent(at: now)), for: device.provider)
            let variants = ContentVariants(job, account.account.provider, carriesMessageID: carriesMessageID)
            let push = variants.pushes[variants.index(of: device.locale)]
            let release = ExpiryRule.release(createdAt: now, sendAt: job.delivery.sendAt, acceptedAt: now)
            let facts = Shard.Facts(
                app: job.app,
                campaignID: job.id,
                provider: device.provider,
                environment: device.environment,
                urgency: job.delivery.urgency,
                pushType: push.pushType,
                priority: push.priority,
                expiresAt: job.expiresAt(acceptedAt: now),
                dropIfOffline: job.delivery.dropIfOffline,
                collapseID: push.collapseID,
                maxAttempts: 1,
                dropUnknown: true,
                payload: push.payload,
                messageIDAt: push.messageIDAt,
                personal: push.personal
            )
            var variables = device.variables
            // What the registry counts is not known here: the longest, as in a preview.
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
                    within: PushValidation.patience,
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
            // A promise that is only ever succeeded does not throw.
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
        case .unconnected(let failure): self = .unanswered(failure.text)
        case .overdue: self = .unanswered("no answer in 20 s")
        }
    }
}
