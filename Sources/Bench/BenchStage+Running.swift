extension BenchStage {
    /// Runs one scenario.
    package func run(_ scenario: BenchScenario) async throws -> BenchResult {
        say("\(scenario.rawValue): \(scenario.abstract)")
        switch scenario {
        case .transport: return try await TransportScenario(stage: self).run()
        case .sending: return try await SendingScenario(stage: self).run()
        case .bearer: return try await SendingScenario(stage: self, provider: .fcm).run()
        case .allocations: return try await AllocationScenario(stage: self).run()
        case .memory: return try await MemoryScenario(stage: self).run()
        case .latency, .dead, .goaway, .retries: return try await TroubleScenario(scenario, stage: self).run()
        case .limits: return try await LimitsScenario(stage: self).run()
        case .scaling: return try await ScalingScenario(stage: self).run()
        case .planning: return try await PlanningScenario(stage: self).run()
        case .first: return try await FirstScenario(stage: self).run()
        case .registry: return try await RegistryScenario(stage: self).run()
        case .lists: return try await ListsScenario(stage: self).run()
        case .fire: return try await FireScenario(stage: self).run()
        case .dashboard: return try await DashboardScenario(stage: self).run()
        case .edge: return try await EdgeScenario(stage: self).run()
        case .orders: return try await OrdersScenario(stage: self).run()
        case .urgent: return try await UrgentScenario(.device, stage: self).run()
        case .goal: return try await UrgentScenario(.channel, stage: self).run()
        case .followers: return try await FollowersScenario(stage: self).run()
        case .rate: return try await RateScenario(stage: self).run()
        case .variables: return try await VariablesScenario(stage: self).run()
        }
    }
}
