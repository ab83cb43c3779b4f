/// A check whose result serves all callers until it is too old; calls during a check wait for its result.
package actor SharedCheck<Result: Sendable> {
    private let ageMax: Duration
    private let check: @Sendable () async -> Result
    private let now: @Sendable () -> ContinuousClock.Instant
    private var last: (result: Result, at: ContinuousClock.Instant)?
    private var running: Task<Result, Never>?

    /// Makes a check that runs when somebody asks and the last result is at least as old as `ageMax`.
    package init(
        ageMax: Duration,
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        check: @escaping @Sendable () async -> Result
    ) {
        self.ageMax = ageMax
        self.now = now
        self.check = check
    }

    /// Returns the last result, or that of a new check.
    package func result() async -> Result {
        if let last, now() - last.at < ageMax { return last.result }
        if let running { return await running.value }
        let task = Task { [check] in await check() }
        running = task
        let result = await task.value
        last = (result, now())
        running = nil
        return result
    }
}
