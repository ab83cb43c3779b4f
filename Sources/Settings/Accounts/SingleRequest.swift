package import HTTP2
package import NIOCore
package import Transport

/// One request over a pool of its own, for single questions, not for pushes.
///
/// A request that is known not to have been processed is sent again until the time is over. Confined to its loop; its
/// pool and its deadline keep it alive.
package final class SingleRequest: RequestSource {
    /// The end of the request.
    package enum Ending {
        /// The provider answered, whatever the status.
        case answered(CopiedAnswer)
        /// `write` had nothing to send.
        case unwritten
        /// There is no answer; the request may have been processed.
        case unanswered(Unanswered.UnknownReason)
        /// There is no connection.
        case unconnected(ConnectionFailure)
        /// The time is over.
        case overdue
    }

    /// A copy of an answer that outlives the callback.
    package struct CopiedAnswer {
        /// The HTTP status.
        package let status: Int
        /// The value of `retry-after`; empty without one.
        package let retryAfter: [UInt8]
        /// The value of `date`; empty without one.
        package let date: [UInt8]
        /// The value of `apns-channel-id`; empty without one.
        package let channelID: [UInt8]
        /// The body.
        package let body: [UInt8]

        fileprivate init(_ answer: borrowing ProviderAnswer) {
            status = Int(answer.status)
            retryAfter = Array(answer.retryAfter)
            date = Array(answer.date)
            channelID = Array(answer.channelID)
            body = Array(answer.body)
        }
    }

    private let loop: any EventLoop
    private let write: (inout RequestWriter) -> Bool
    private let ended: (Ending) -> Void
    private var pool: ProviderPool?
    private var isSent = false

    private init(
        loop: any EventLoop,
        write: @escaping (inout RequestWriter) -> Bool,
        ended: @escaping (Ending) -> Void
    ) {
        self.loop = loop
        self.write = write
        self.ended = ended
    }

    /// Sends a request; on the loop only.
    ///
    /// - Parameters:
    ///   - loop: The loop of all callbacks.
    ///   - timeout: The time after which it ends as `overdue`.
    ///   - pool: The connections for it.
    ///   - write: Fills the request; returns false when there is none.
    ///   - ended: Called once, at the end.
    package static func send(
        on loop: any EventLoop,
        within timeout: Duration,
        pool: (SingleRequest) -> ProviderPool,
        write: @escaping (inout RequestWriter) -> Bool,
        ended: @escaping (Ending) -> Void
    ) {
        let request = SingleRequest(loop: loop, write: write, ended: ended)
        request.pool = pool(request)
        request.pool?.demandChanged()
        loop.assumeIsolated().scheduleTask(in: TimeAmount(timeout)) { request.end(.overdue) }
    }

    /// Reports the end, once, and closes the pool.
    private func end(_ ending: Ending) {
        guard let pool else { return }
        self.pool = nil
        ended(ending)
        // A loop tick of its own, because the caller is within the connection's.
        loop.assumeIsolated().execute { pool.close {} }
    }

    /// See `RequestSource`.
    package func openingBegan() {}

    /// See `RequestSource`.
    package func nextRequest(_ request: inout RequestWriter) -> Bool {
        guard !isSent, pool != nil else { return false }
        isSent = write(&request)
        if !isSent { end(.unwritten) }
        return isSent
    }

    /// See `RequestSource`.
    package func answered(tag: UInt64, answer: borrowing ProviderAnswer) {
        end(.answered(CopiedAnswer(answer)))
    }

    /// See `RequestSource`.
    package func unanswered(tag: UInt64, reason: Unanswered) {
        switch reason {
        case .refused:
            isSent = false
            pool?.demandChanged()
        case .unknown(let reason): end(.unanswered(reason))
        }
    }

    /// See `RequestSource`.
    package func tickEnded() {}

    /// See `RequestSource`.
    package func connectionFailed(_ failure: ConnectionFailure) {
        end(.unconnected(failure))
    }
}
