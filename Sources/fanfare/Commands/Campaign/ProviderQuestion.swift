import Campaigns
import Delivery
import Operations
import PushProviders
import Settings

/// `--validate-with-provider`: asks each provider of a job about one device of its audience; the device gets nothing.
struct ProviderQuestion {
    let job: Job
    let app: AppConfiguration
    /// The file with the audience; nil when the job names it.
    let audience: String?
    /// The token to ask about instead of the audience's first.
    let token: String?

    /// A provider that would accept the push.
    struct Answered {
        let provider: ProviderName
        let device: Device

        var line: String {
            let name = TerminalText.safe(ProviderQuestion.name(device))
            return "\(provider.rawValue) would take it for \(name); nothing was delivered"
        }

        var json: JSONValue {
            .object(["provider": .string(provider.rawValue), "device": .string(ProviderQuestion.name(device))])
        }
    }

    /// Asks each provider that can validate; the first that would not accept the push ends the command.
    ///
    /// `warnings` are those that a refusal still has to report.
    func ask(warnings: [Problem]) async throws -> [Answered] {
        var answered: [Answered] = []
        for device in try devices() {
            answered.append(Answered(provider: try await ask(about: device, warnings), device: device))
        }
        return answered
    }

    /// Not optimised: Swift 6.3.1 crashes over it in a release build (coroutine splitting).
    @_optimize(none)
    private func ask(about device: Device, _ warnings: [Problem]) async throws -> ProviderName {
        let said = try await PushValidation.ask(job, device: device, app: app)
        guard said.verdict == .accepted else { throw failure(said, device, warnings: warnings) }
        return said.provider
    }

    // MARK: - The devices

    /// Returns one device for each provider that can validate, as far as the audience has one.
    private func devices() throws -> [Device] {
        let providers = PushValidation.providers(of: job, app: app)
        guard !providers.isEmpty else {
            let able = ProviderRegistry.providers.filter(\.canValidate).map(\.name.rawValue).joined(separator: ", ")
            throw CommandFailure(
                .usage,
                "the app \(app.name) has no account for this job with a provider that can be asked (\(able))"
            )
        }
        let devices = try token.map { try given($0, providers) } ?? providers.compactMap { try first(of: $0.name) }
        guard !devices.isEmpty else {
            let names = providers.map(\.name.rawValue).joined(separator: ", ")
            throw CommandFailure(.usage, "the audience has no device of \(names): give --validate-from FILE")
        }
        return devices
    }

    private func given(_ token: String, _ providers: [any PushProvider]) throws -> [Device] {
        let devices = providers.compactMap { provider in
            provider.tokens.token(token).map {
                Device(token: $0.text, provider: provider.name, environment: $0.environment)
            }
        }
        guard devices.isEmpty else { return devices }
        let rules = providers.map { "\($0.name.rawValue): \($0.tokens.rule)" }.joined(separator: "; ")
        throw CommandFailure(.usage, "--validate-from has no token of a provider that can be asked (\(rules))")
    }

    private func first(of provider: ProviderName) throws -> Device? {
        if let audience {
            do {
                let format = try AudienceUpload.format(of: audience, named: nil)
                return try AudienceFile.firstDevice(of: provider, path: audience, format: format)
            } catch let error as InputFile.Unreadable { throw CommandFailure(.usage, error.description) }
        }
        guard case .devices(let devices) = job.audience else {
            throw CommandFailure(
                .usage,
                "a dry run looks no list and no registry up: give --validate-from FILE, or --audience with a file"
            )
        }
        return devices.first { $0.provider == provider }
    }

    // MARK: - The answers

    /// Returns the producer's name of a device, or the token's first characters: a whole token is confidential.
    private static func name(_ device: Device) -> String { device.id ?? String(device.token.prefix(8)) + "…" }

    private func failure(_ said: PushValidation, _ device: Device, warnings: [Problem]) -> CommandFailure {
        let name = Self.name(device)
        let who = said.provider.rawValue
        switch said.verdict {
        case .refused(let status, let answer):
            let isContent = answer.kind == .payloadBad
            let problem = Problem(
                pointer: isContent ? "/content" : "/audience",
                code: .refusedByProvider,
                detail: "\(answer.reason ?? "no reason") (\(status)) for \(name): \(answer.kind.meaning)"
            )
            return failure(isContent ? .invalidJob : .failed, "\(who) would not take the push", [problem], warnings)
        case .leftOut(let end):
            return failure(.failed, "\(name) would get no push: \(end.outcome.name) (\(end.reason))", [], warnings)
        case .unanswered(let reason): return failure(.failed, "\(who) was not asked: \(reason)", [], warnings)
        case .accepted: preconditionFailure("a push that would be taken is no failure")
        }
    }

    private func failure(
        _ kind: ProblemDocument.Kind,
        _ title: String,
        _ errors: [Problem],
        _ warnings: [Problem]
    ) -> CommandFailure {
        CommandFailure(
            ProblemDocument(kind, title: title, campaign: job.id, errors: errors, warnings: warnings)
        )
    }
}
