import ArgumentParser
import Bench
import Campaigns
import Foundation
import Operations
import PushProviders
import Settings

/// Computes the resources that a campaign needs.
struct CapacityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capacity",
        abstract: "Print the workers, cores and connections that a campaign needs, and the load on broker and ledger.",
        discussion: """
            Computed from what fanfare bench measures: by default on the machine that Fanfare is developed on, with \
            --bench on a machine of yours (fanfare bench sending fcm --json > bench.json). Prints the assumptions beside \
            each number, and the obstacles; then what the provider allows: Google's quota, Apple's connections, and when \
            the last device is likely to be reached.

            Example: fanfare capacity --devices 4000000 --within 5s --latency 60ms
            Example: fanfare capacity --devices 4000000 --within 10m --provider fcm
            """
    )

    @Option(help: "How many devices.")
    var devices: Int

    @Option(help: "The time for sending to all of them, such as 5s or 10m.")
    var within: String

    @Option(help: "How long the provider takes to answer, such as 60ms.")
    var latency = "60ms"

    @Option(help: "apns, fcm or webpush.")
    var provider = CapacityProvider.apns.name

    @Option(help: "Bytes of a payload.")
    var payload = 250

    @Option(help: "Cores of a machine that a worker runs on.")
    var cores = 4

    @Option(help: "Requests a minute that the provider allows the project (default for fcm: Google's 600000).")
    var perMinute: Int?

    @Option(help: "What fanfare bench --json printed on a machine like those of the fleet.")
    var bench: String?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let ask = try ask()
        let metrics = try metrics()
        let plan = CapacityPlan(ask, metrics)
        let needs = plan.needs + CapacityForecast.needs(ask, plan, metrics)
        let rows = needs.map { [$0.what, $0.text, $0.because] }
        let table = TextTable([("needed", .left), ("", .right), ("because", .left)], rows: rows)
        let limits = plan.limits.map { "\n! \($0)" }.joined()
        let forecast = ForecastView(CapacityForecast.forecast(ask, plan, metrics))
        output.write(
            "\(table.text)\n\nfigures: \(metrics.source)\(limits)",
            json(needs, plan.limits, forecast, metrics)
        )
    }

    private func ask() throws -> CapacityAsk {
        guard let provider = CapacityProvider.all.first(where: { $0.name == provider }) else {
            let names = CapacityProvider.all.map(\.name).joined(separator: ", ")
            throw ValidationError("--provider is one of \(names)")
        }
        guard (1...10_000_000_000).contains(devices) else { throw ValidationError("--devices is a number from 1") }
        guard (1...65_536).contains(payload) else { throw ValidationError("--payload is a number of bytes from 1") }
        guard (1...1024).contains(cores) else { throw ValidationError("--cores is a number from 1 to 1024") }
        guard perMinute.map({ $0 > 0 }) ?? true else { throw ValidationError("--per-minute is a number from 1") }
        return CapacityAsk(
            devices: devices,
            seconds: try seconds(within, "--within"),
            latency: try seconds(latency, "--latency"),
            provider: provider,
            payloadBytes: payload,
            cores: cores,
            perMinute: perMinute ?? (provider == .fcm ? FCMSettings.perMinuteOfGoogle : nil)
        )
    }

    private func seconds(_ text: String, _ option: String) throws -> Double {
        guard let duration = DurationText.parse(text), duration > .zero else {
            throw ValidationError("\(option) is a duration such as 5s, 60ms or 10m")
        }
        return duration / .seconds(1)
    }

    private func metrics() throws -> CapacityMetrics {
        guard let bench else { return .measured }
        guard let data = FileManager.default.contents(atPath: bench) else {
            throw CommandFailure(.usage, "\(bench) cannot be read")
        }
        guard let document = JSONReader.read(Array(data)).value,
            let metrics = CapacityMetrics(bench: document, source: "measured by fanfare bench, \(bench)")
        else { throw CommandFailure(.usage, "\(bench) is not what fanfare bench --json prints") }
        return metrics
    }

    private func json(
        _ needs: [CapacityPlan.Need],
        _ limits: [String],
        _ forecast: ForecastView,
        _ metrics: CapacityMetrics
    ) -> JSONValue {
        .object([
            "needs": .array(
                needs.map { need in
                    .object([
                        "what": .string(need.what), "value": .decimal(need.value), "because": .string(need.because),
                    ])
                }
            ),
            "forecast": forecast.json, "limits": .array(limits.map(JSONValue.string)),
            "figures": .string(metrics.source),
        ])
    }
}
