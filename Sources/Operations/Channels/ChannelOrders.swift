package import Campaigns
import PushProviders
package import Settings
package import Store

/// The channels of an app: made and removed at Apple, and kept under our names in the ledger.
///
/// Apple has them, the ledger has their names. So an order goes to Apple first: what a crash leaves behind is a channel
/// without a name, which `strays` finds and `create` with its id takes over.
package struct ChannelOrders: Sendable {
    private let app: String
    private let service: ChannelService
    private let requests: ChannelRequests
    private let ledger: Ledger

    /// Takes an app of this host's file; throws if it cannot have channels.
    package init(_ app: AppConfiguration, in ledger: Ledger) throws {
        let directory = try AppDirectory([app])
        guard let account = directory.account(app: app.name, provider: .broadcast),
            let service = account.account.channels
        else { throw ChannelRefusal.noService(app: app.name) }
        (self.app, self.service, self.ledger) = (app.name, service, ledger)
        requests = ChannelRequests(account: account, service: service)
    }

    /// Takes an app by its name; throws if this host's file lacks it.
    package init(_ app: String, among apps: [AppConfiguration], in ledger: Ledger) throws {
        guard let configuration = apps.first(where: { $0.name == app }) else {
            throw ChannelRefusal.noService(app: app)
        }
        try self.init(configuration, in: ledger)
    }

    /// Makes a channel at Apple and notes it under a name.
    ///
    /// - Parameters:
    ///   - name: 1–128 of `[A-Za-z0-9._:-]`.
    ///   - storage: The storage policy; for a known id Apple's own counts.
    ///   - environment: `production` or `sandbox`; nil for the app's own.
    ///   - id: The id of a channel that Apple has already; nil to make one.
    package func create(
        _ name: String,
        storage: BroadcastChannel.Storage,
        environment: String?,
        id: String?
    ) async throws -> BroadcastChannel {
        guard NameRule.isID(name) else {
            throw ChannelRefusal.invalid("name", "a channel's name is 1 to 128 of the characters A-Z a-z 0-9 . _ : -")
        }
        let environment = try place(environment)
        if let id, ProviderRegistry.tokens[.broadcast]?.token(id) == nil {
            throw ChannelRefusal.invalid("id", ProviderRegistry.tokens[.broadcast]?.rule ?? "", fix: "copy it whole")
        }
        let app = app
        if try await ledger.read({ try $0.channel(app: app, name: name) }) != nil {
            throw ChannelRefusal.taken(name, app: app)
        }
        var channel = BroadcastChannel(
            app: app,
            name: name,
            id: id ?? "",
            environment: environment,
            storage: storage,
            createdAt: ledger.now()
        )
        let order = id.map { ChannelService.Order.read(id: $0) } ?? .create(storage)
        switch try await ask(order, in: environment) {
        case .created(let made): channel.id = made
        case .found(let policy): channel.storage = policy
        default: throw ChannelRefusal(unanswered: "it answered another question", app: app)
        }
        let isAdded = try await ledger.write(.synced) { [channel] in try $0.addChannel(channel) }
        guard isAdded else {
            // Somebody was faster; what was made for this name alone goes again.
            if id == nil { _ = try await ask(.delete(id: channel.id), in: environment) }
            throw ChannelRefusal.taken(name, app: app)
        }
        return channel
    }

    /// Removes a channel at Apple, for good, and its name; one that Apple no longer has loses its name.
    package func remove(_ name: String) async throws -> BroadcastChannel {
        let app = app
        guard let channel = try await ledger.read({ try $0.channel(app: app, name: name) }) else {
            throw ChannelRefusal.missing(name, app: app)
        }
        let answer = try await requests.ask(.delete(id: channel.id), in: channel.environment)
        if answer != .unknownChannel { try check(answer, channel.environment) }
        _ = try await ledger.write(.synced) { try $0.removeChannel(app: app, name: name) }
        return channel
    }

    /// Returns the ids that Apple has in an environment (nil for the app's own) and that no name of ours stands for,
    /// and the names whose channel Apple lacks there.
    package func strays(in environment: String?) async throws -> (unnamed: [String], gone: [String]) {
        let (app, environment) = (app, try place(environment))
        guard case .listed(let ids) = try await ask(.list, in: environment) else { return ([], []) }
        let ours = try await ledger.read { try $0.channels(app: app) }.filter { $0.environment == environment }
        let (named, there) = (Set(ours.map(\.id)), Set(ids))
        return (ids.filter { !named.contains($0) }, ours.filter { !there.contains($0.id) }.map(\.name))
    }

    private func place(_ name: String?) throws(ChannelRefusal) -> PushEnvironment {
        guard let name else { return service.environment }
        guard let environment = PushEnvironment.apple.first(where: { $0.rawValue == name }) else {
            throw .invalid("environment", "environment is \(NameRule.shown(name))", fix: "production or sandbox")
        }
        return environment
    }

    private func ask(_ order: ChannelService.Order, in environment: PushEnvironment) async throws -> ChannelAnswer {
        let answer = try await requests.ask(order, in: environment)
        try check(answer, environment)
        return answer
    }

    private func check(_ answer: ChannelAnswer, _ environment: PushEnvironment) throws(ChannelRefusal) {
        if let refusal = ChannelRefusal(answer, app: app, environment: environment) { throw refusal }
    }
}
