import Campaigns
import Delivery
import Servers
import Simulator
import Testing

/// The words of `fanfare status` and `fanfare campaign status` about what is wrong.
extension PrivateFleet {
    /// The exit status and the problems of `status --json`.
    func health(_ environment: [String: String] = [:]) async throws -> (exit: Int32, problems: [JSONValue]) {
        let arguments = ["status", "--json", "--config", "fanfare.yaml"]
        let outcome = try await FanfareProcess.run(arguments, folder: folder, environment: environment)
        let document = try #require(
            JSONReader.read(Array(outcome.output.utf8)).value,
            "\(outcome.output)\(outcome.errors)"
        )
        return (outcome.exit, document["problems"]?.array ?? [])
    }

    /// Waits until status tells a problem, with the exit status that belongs to it, and returns the cause and the
    /// remedy in one line.
    func told(
        _ code: HealthProblem.Code,
        needsPerson: Bool = true,
        _ environment: [String: String] = [:]
    ) async throws -> String {
        try await eventually("status tells \(code.rawValue)", within: .seconds(15)) {
            let (exit, problems) = try await health(environment)
            guard
                let problem = problems.first(where: { $0["code"]?.string == code.rawValue }),
                let cause = problem["cause"]?.string, let remedy = problem["remedy"]?.string,
                problem["needs_person"] == .bool(needsPerson)
            else { return nil }
            // 69 where the command itself could not reach what it asks.
            if needsPerson { #expect(exit == ([.broker, .ledger].contains(code) ? 69 : 1)) }
            #expect(!cause.isEmpty && !remedy.isEmpty)
            return "\(cause): \(remedy)"
        }
    }

    /// Waits until status tells no problem and ends with 0.
    func allIsWell(_ environment: [String: String] = [:]) async throws {
        var last: [JSONValue] = []
        do {
            try await eventually("all is well by itself") {
                let (exit, problems) = try await health(environment)
                last = problems
                return exit == 0 && problems.isEmpty
            }
        } catch {
            Issue.record("\(last)")
            throw error
        }
    }

    /// Waits until a campaign's `state_codes` have all of these, and returns its `state_reason`.
    @discardableResult
    func says(_ codes: String..., of id: String) async throws -> String {
        var last: [String] = []
        do {
            return try await eventually("\(id) says \(codes)", within: .seconds(20)) {
                let outcome = try await run("campaign", "status", id, "--json")
                guard let document = JSONReader.read(Array(outcome.output.utf8)).value else { return nil }
                last = document["state_codes"]?.array?.compactMap(\.string) ?? []
                return Set(codes).isSubset(of: last) ? document["state_reason"]?.string : nil
            }
        } catch let error as NotInTime {
            throw NotInTime("\(error.description); it says \(last)")
        }
    }

    /// Changes a fault of the simulator while the fleet runs.
    func simulate(_ fault: String, _ value: String) async throws {
        _ = try await simulator.changeFaults { (faults) throws(FaultsError) in try faults.set(fault, to: value) }
    }
}
