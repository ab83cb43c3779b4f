import ArgumentParser
import Campaigns
import Delivery
import NIOPosix
import Operations
import Settings
import Store
import Transport

/// Sends parked messages after all.
struct ParkedReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Send parked messages after all; ends with 1 when something stays parked.",
        discussion: """
            A shard's devices go back to their campaign's planner, which sends to those without an outcome; a campaign \
            that is over by now ends them (expired, cancelled). A shard that the ledger does not know stays parked. A \
            job is published as its producer did and judged anew; one that is refused again is parked again.

            Example: fanfare parked replay --campaign news/derby --dry-run
            """
    )

    @OptionGroup var choice: ParkedChoice
    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await ParkedOrders(order: .replay, choice: choice, isJSON: output.json).run(options)
    }
}

/// Gives parked messages up.
struct ParkedDiscardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard",
        abstract: "Discard parked messages: their devices end failed, with the reason Parked.",
        discussion: "Example: fanfare parked discard 12 13 --yes"
    )

    @OptionGroup var choice: ParkedChoice

    @OptionGroup var confirmation: ConfirmationFlag

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try confirmation.ask(
            "This cannot be undone. Discard them?",
            "parked discard cannot be undone",
            isDryRun: choice.dryRun
        )
        try await ParkedOrders(order: .discard, choice: choice, isJSON: output.json).run(options)
    }
}

/// Carries out a decision about parked messages, one by one.
private struct ParkedOrders {
    let order: ParkedOrder
    let choice: ParkedChoice
    let isJSON: Bool

    func run(_ options: ConfigurationOptions) async throws {
        let configuration = try options.load()
        let left = try await options.withLedger { ledger in
            let replay = JobReplay(broker: configuration.amqp)
            let handling = ParkedHandling(order: order, isDryRun: choice.dryRun)
            do {
                var (seen, left, rows) = (0, 0, [JSONValue]())
                try await choice.forEach(in: ledger) { id in
                    let line = try await handling.carryOut(id, in: ledger) { try await replay.publish($0) }
                    if isJSON { rows.append(line.json) } else { Terminal.write(line.text + "\n") }
                    seen += 1
                    if line.isLeft { left += 1 }
                }
                await replay.close()
                if isJSON { Terminal.write(JSONValue.array(rows).text + "\n") }
                if seen == 0, !isJSON { Terminal.write("no parked message matches\n") }
                return left
            } catch {
                await replay.close()
                throw error
            }
        }
        if left > 0 { throw FanfareExit.failed }
    }
}

/// Publishes parked jobs; connects with the first one.
private final class JobReplay {
    private let broker: AMQPEndpoint
    private var producer: CampaignProducer?

    init(broker: AMQPEndpoint) {
        self.broker = broker
    }

    func publish(_ message: ParkedMessage) async throws {
        do {
            let producer =
                if let producer { producer } else {
                    try await CampaignProducer.connect(broker, on: MultiThreadedEventLoopGroup.singleton.next())
                }
            self.producer = producer
            try await producer.publish(again: message)
        } catch let error as AMQPConnectError {
            throw CommandFailure(error)
        } catch let error as CampaignProducer.Failure {
            if case .forbidden = error { throw CommandFailure(.forbidden, error.description) }
            throw CommandFailure(.unavailable, error.description)
        }
    }

    func close() async { await producer?.close() }
}
