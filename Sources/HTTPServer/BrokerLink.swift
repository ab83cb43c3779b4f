import Campaigns
import Delivery
import Fleet
import NIOCore
import Store
import Transport

/// The server's connection to the broker: made when it is needed, and anew when it was lost.
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

    /// Publishes a parked job as it came; throws the same.
    func publish(again message: ParkedMessage) async throws {
        let producer = try await living()
        do {
            try await producer.publish(again: message)
        } catch {
            await drop(producer, after: error)
            throw error
        }
    }

    /// What keeps jobs from being published; nil when nothing does.
    func obstacle() async -> String? {
        do {
            _ = try await living()
            return nil
        } catch {
            return "\(error)"
        }
    }

    func close() async {
        await producer?.close()
        producer = nil
    }

    /// A connection that answers; several who need one at once share it.
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

    /// After these the channel is closed or its state unknown; a full queue leaves it as it was.
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
