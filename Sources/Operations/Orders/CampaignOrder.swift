import Delivery
package import NIOCore
import NIOPosix
package import Store
package import Transport

/// An order to a campaign, from a command or over HTTP: given in one synced transaction, then hinted at.
///
/// A worker that misses the hint polls within 500 ms.
package struct CampaignOrder: Sendable {
    /// The change to a campaign in a transaction.
    package typealias Change =
        @Sendable (_ campaign: UInt32, LedgerTransaction, LifeOrder.Circumstances) throws(LedgerError) -> LifeResult

    /// True if the hint has to leave at the moment of the commit, so that the broker is awaited before it.
    private let isHasty: Bool
    private let change: Change

    /// The longest wait for a broker that does not answer.
    private static let timeout = Duration.seconds(2)

    /// Creates an order of a campaign's life.
    package init(_ order: LifeOrder) {
        isHasty = order == .fire
        change = { campaign, transaction, circumstances throws(LedgerError) in
            try order.give(to: campaign, in: transaction, circumstances)
        }
    }

    /// Creates an order that changes something else.
    package init(_ change: @escaping Change) {
        isHasty = false
        self.change = change
    }

    /// Gives the order; a dry run is rolled back and hints at nothing.
    ///
    /// - Parameters:
    ///   - id: The campaign; without an app the ledger finds it.
    ///   - actor: The author, for the campaign's history.
    ///   - broker: The broker that the hint goes to.
    ///   - loop: The loop of the hint's connection; nil for one of the process's.
    package func give(
        app: String?,
        id: String,
        by actor: String,
        in ledger: Ledger,
        broker: AMQPEndpoint,
        on loop: (any EventLoop)? = nil,
        isDryRun: Bool = false
    ) async throws(LedgerError) -> LifeResult {
        let hint = isDryRun ? nil : ControlHint(broker, on: loop ?? MultiThreadedEventLoopGroup.singleton.next())
        let result: LifeResult
        do throws(LedgerError) {
            result = try await give(app: app, id: id, by: actor, in: ledger, hint)
        } catch {
            await hint?.close()
            throw error
        }
        await hint?.close()
        return result
    }

    private func give(
        app: String?,
        id: String,
        by actor: String,
        in ledger: Ledger,
        _ hint: ControlHint?
    ) async throws(LedgerError) -> LifeResult {
        if isHasty { await hint?.ready(within: Self.timeout) }
        let circumstances = LifeOrder.Circumstances(in: ledger, by: actor)
        let result = try await ledger.order(isDryRun: hint == nil) { [change] transaction -> LifeResult in
            let number = try transaction.reader.campaignNumber(app: app, id: id)
            return try number.map { try change($0, transaction, circumstances) } ?? .unknown
        }
        if case .done(let facts) = result, let hint {
            if !isHasty { await hint.ready(within: Self.timeout) }
            await hint.send(at: facts.name)
            if facts.stage == .cancelled { try await ledger.endCampaign(facts.number) }
        }
        return result
    }
}

extension Ledger {
    /// Carries out an order in a synced transaction, or in one that is rolled back.
    package func order<T: Sendable>(
        isDryRun: Bool,
        _ body: @escaping @Sendable (LedgerTransaction) throws -> T
    ) async throws(LedgerError) -> T {
        isDryRun ? try await rehearse(body) : try await write(.synced, body)
    }
}
