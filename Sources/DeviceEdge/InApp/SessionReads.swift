import Campaigns
import Store

/// Reads the facts that sessions need about their devices; requests that come during a read share the next one.
actor SessionReads {
    /// The question of a session.
    struct Ask: Sendable {
        var app: String
        var installation: String
        /// Lists that may have the device's token.
        var lists: [(campaign: UInt32, list: UInt32)]
        var wantsDisplays: Bool
        /// The campaigns that the app may show; the read finds those that the device has reported on.
        var inside: [InsideEntry]
    }

    /// The facts about the session's device.
    struct Found: Sendable {
        var device: RegisteredDevice
        var displays: [UInt32: Timestamp] = [:]
        var lists: Set<UInt32> = []
        /// The campaigns that the device has reported on.
        var told: Set<UInt32> = []
    }

    private typealias Waiter = CheckedContinuation<Result<Found?, LedgerError>, Never>

    private let ledger: Ledger
    private var waiting: [(ask: Ask, waiter: Waiter)] = []
    private var isReading = false

    /// The most sessions in one read, because a read transaction should take no more than some milliseconds.
    private static let most = 256

    init(ledger: Ledger) {
        self.ledger = ledger
    }

    /// Returns nil when the registry has no such device.
    func read(_ ask: Ask) async throws(LedgerError) -> Found? {
        let result = await withCheckedContinuation { (waiter: Waiter) in
            waiting.append((ask, waiter))
            if !isReading {
                isReading = true
                Task { await readAll() }
            }
        }
        return try result.get()
    }

    private func readAll() async {
        while !waiting.isEmpty {
            let batch = Array(waiting.prefix(Self.most))
            waiting.removeFirst(batch.count)
            let asks = batch.map(\.ask)
            do throws(LedgerError) {
                let found = try await ledger.read { reader in try asks.map { try Self.read($0, reader) } }
                for (entry, one) in zip(batch, found) { entry.waiter.resume(returning: .success(one)) }
            } catch {
                for entry in batch { entry.waiter.resume(returning: .failure(error)) }
            }
        }
        isReading = false
    }

    private static func read(_ ask: Ask, _ reader: LedgerReader) throws(LedgerError) -> Found? {
        guard let device = try reader.device(app: ask.app, installation: ask.installation),
            device.state != .forgotten
        else { return nil }
        var found = Found(device: device)
        if ask.wantsDisplays { found.displays = try reader.inAppDisplays(device: device.number) }
        let asked = ask.inside.compactMap { entry in
            entry.index(of: device).map { (campaign: entry.campaign, device: $0) }
        }
        if !asked.isEmpty { found.told = try reader.told(asked) }
        if !ask.lists.isEmpty, let token = device.token {
            found.lists = try reader.inAppLists(
                ask.lists,
                app: ask.app,
                provider: device.traits.provider,
                token: token
            )
        }
        return found
    }
}
