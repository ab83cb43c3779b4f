import Campaigns
import NIOCore
import Operations
import Store
import Transport

/// The server's connection to the broker: opened when needed, reopened after a loss.
actor BrokerLink {
    private let endpoint: AMQPEndpoint
    private let loop: any EventLoop
    private var producer: CampaignProducer?
    private var connecting: Task<CampaignProducer, any Error>?

    init(_ endpoint: AMQPEndpoint, on loop: any EventLoop) {
        self.endpoint = endpoint
        self.loop = loop
    }

    /// Publishes a job with confirm; throws `AMQPConnectError` or `CampaignProducer.Failure`.
    func publish(_ job: Job, body: [UInt8], at: Timestamp) async throws {
        let producer = try await living()
        do {
            try await producer.publish(job, body: body, at: at)
        } catch {
            await drop(producer, after: error)
            throw error
        }
    }

    /// Publishes a parked job unchanged; throws as `publish(_:body:at:)`.
    func publish(again message: ParkedMessage) async throws {
        let producer = try await living()
        do {
            try await producer.publish(again: message)
        } catch {
            await drop(producer, after: error)
            throw error
        }
    }

    /// The reason why jobs cannot be published; nil when they can.
    func obstacle() async -> String? {
        do {
            _ = try await living()
            return nil
        } catch {
            return SocketErrorText.words(error)
        }
    }

    func close() async {
        await producer?.close()
        producer = nil
    }

    /// Returns a live connection; concurrent callers share one attempt to connect.
    private func living() async throws -> CampaignProducer {
        if let producer {
            if await producer.isAlive() { return producer }
            await forget(producer)
        }
        if let connecting { return try await connecting.value }
        let task = Task { [endpoint, loop] in
            try await CampaignProducer.connect(endpoint, name: "fanfare server", on: loop)
        }
        connecting = task
        defer { connecting = nil }
        let new = try await task.value
        producer = new
        return new
    }

    /// Drops the connection, as its channel is closed or in an unknown state; a full queue, a return and an unwritable
    /// message leave it intact.
    private func drop(_ used: CampaignProducer, after failure: any Error) async {
        switch failure as? CampaignProducer.Failure {
        case .full, .returned, .unwritable: return
        default: await forget(used)
        }
    }

    private func forget(_ used: CampaignProducer) async {
        if producer === used { producer = nil }
        await used.close()
    }
}
