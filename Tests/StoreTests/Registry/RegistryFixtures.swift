import Campaigns
import Delivery
import Store

extension Sample {
    /// Returns a registration of a device with the token of a number.
    static func registration(
        _ installation: String?,
        user: String? = nil,
        tags: [String]? = nil,
        registeredAt: Timestamp? = nil,
        locale: String? = nil,
        permission: PushPermission? = nil
    ) -> DeviceRegistration {
        DeviceRegistration(
            device: Device(token: "", id: installation, locale: locale),
            user: user.map { .user($0) } ?? .unchanged,
            tags: tags.map { .set($0) } ?? .unchanged,
            permission: permission,
            registeredAt: registeredAt
        )
    }
}

extension Ledger {
    /// Registers one device with the token of a number.
    @discardableResult
    func register(
        _ registration: DeviceRegistration,
        token number: Int,
        app: String = "news",
        now: Timestamp = .start
    ) async throws -> RegistrationResult? {
        try await write {
            try $0.register([registration], tokens: [Sample.token(number)], app: app, now: now).first
        }
    }

    func device(_ installation: String, app: String = "news") async throws -> RegisteredDevice? {
        try await read { try $0.device(app: app, installation: installation) }
    }

    /// Returns the installations that a walk over the registry visits, with their tokens' numbers in order.
    func walked(app: String = "news") async throws -> [String] {
        try await read { reader in
            guard let walk = try reader.registryEnd(app: app) else { return [] }
            var (found, next): ([String], Int64?) = ([], walk.start)
            while let after = next {
                let page = try reader.registryPage(after: after, end: walk.end)
                try page.forEach { found.append(String(decoding: $0.installation, as: UTF8.self)) }
                next = page.next
            }
            return found
        }
    }

    /// Sends a campaign to the tokens 0 and up; the dead ones are answered 410 with this instant.
    func send(_ id: String, devices: Int, dead: Set<Int>, since: Timestamp) async throws {
        let number = try await accepted(Sample.campaign([devices], facts: Sample.facts(id: id), identity: id))
        for shard in try await planned(number) {
            let (record, token) = try await running(shard.record.id.key)
            var progress = record.progress
            for index in 0..<record.count where progress.codes[index] == 0 {
                if dead.contains(index) {
                    progress.end(index, .invalid, Progress.Note(reason: "Unregistered", deadSince: since))
                } else {
                    progress.accept(index)
                }
            }
            let settlement = try Settlement.of(progress)
            _ = try await write(.synced, scope: .shards) { try $0.settle(token, settlement, now: .start) }
        }
        _ = try await write { try $0.learnDeadTokens() }
    }
}
