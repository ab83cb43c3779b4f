import Campaigns
import Store

extension Ledger {
    /// Accepts a campaign of the app news to three devices that ends in an hour, without a worker.
    func acceptThree(_ id: String, app: String = "news", cancelled: Bool = false) async throws {
        var builder = ListBuilder()
        for number in 1...3 {
            _ = builder.add(Device(token: "", id: "d\(number)"), token: .test(number))
        }
        let new = NewCampaign(
            identity: Array(id.utf8),
            job: Array("{}".utf8),
            facts: .inAnHour(id, app: app),
            audience: .inline(builder.finish(), version: id, duplicates: 0),
            createdAt: CommandTime.now,
            correlationID: id
        )
        let accepted = try await write(.synced) { try $0.accept(new, now: CommandTime.now) }
        guard case .accepted(let number, _) = accepted else { throw LedgerError.failed("\(accepted)") }
        guard cancelled else { return }
        _ = try await write(.synced) { try $0.cancel(campaign: number, by: "ben", now: CommandTime.now) }
    }
}

extension [UInt8] {
    /// Returns the token of a campaign's device.
    static func test(_ number: Int) -> [UInt8] { Array(repeating: 0xAB, count: 31) + [UInt8(number)] }
}

extension Shard.Facts {
    /// Returns a bulk campaign to iPhones that ends in an hour.
    static func inAnHour(_ id: String, app: String = "news") -> Shard.Facts {
        Shard.Facts(
            app: app,
            campaignID: id,
            provider: .apns,
            environment: nil,
            policy: DeliveryPolicy(),
            pushType: .alert,
            priority: 10,
            expiresAt: CommandTime.now.advanced(by: .seconds(3600)),
            collapseID: "",
            payload: Array("{}".utf8)
        )
    }
}
