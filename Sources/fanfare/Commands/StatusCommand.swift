import ArgumentParser
import Campaigns
import Operations
import Store
import Transport

/// Prints the status of the whole fleet.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Print the state of broker, store, workers and queues; ends with 1 when something needs a person.",
        discussion: """
            The health of each worker is what the worker itself reports: its link to the broker, its writes to the \
            ledger, its host's clock, its apps with their versions and credentials. A worker that fell silent without \
            saying goodbye is kept for an hour, or until another one takes its place. A write to the ledger is tried and \
            rolled back. --json has each problem with its cause and remedy (problems).

            Example: fanfare status --watch
            """
    )

    @Flag(help: "Print it again every second, until interrupted.")
    var watch = false

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let probe = FleetProbe(try options.load())
        var previous = await probe.take()
        if previous.isSomethingWaiting {
            // Only two readings tell how fast a queue drains.
            try await Task.sleep(for: .milliseconds(300))
        }
        while true {
            let facts = await probe.take()
            let view = facts.view(since: previous)
            show(view)
            guard watch else { try end(facts, view) }
            previous = facts
            try await Task.sleep(for: .seconds(1))
        }
    }

    private func show(_ view: FleetStatusView) {
        let isRedrawn = watch && !output.json && Terminal.progressStyle != .lines
        let text = output.json ? view.json.text : view.text
        Terminal.write((isRedrawn ? "\u{1B}[H\u{1B}[2J" : "") + text + "\n")
    }

    private func end(_ facts: FleetFacts, _ view: FleetStatusView) throws -> Never {
        if facts.ledgerFailure != nil || facts.brokerFailure != nil { throw FanfareExit.unavailable }
        throw view.needs.isEmpty ? FanfareExit.done : FanfareExit.failed
    }
}
