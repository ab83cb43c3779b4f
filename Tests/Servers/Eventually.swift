/// The error for a condition in another process that did not become true in time.
public struct NotInTime: Error, CustomStringConvertible {
    /// The condition and the time waited.
    public let description: String

    /// Creates an error with the condition and the time waited.
    public init(_ description: String) {
        self.description = description
    }
}

/// Polls until there is an answer, which is the only way to wait for a process that notifies nobody.
///
/// Throws `NotInTime` with the condition. Time in which this process was not scheduled does not count, because it says
/// nothing about the other process. The looks are 5 ms apart at first and 25 ms after half a second: a wait is at most
/// a twentieth longer than it has to be, and fleets that wait for seconds leave the processors to those that work.
public func eventually<Answer>(
    _ what: String,
    within limit: Duration = .seconds(60),
    ask: () async throws -> Answer?
) async throws -> Answer {
    var waited = Duration.zero
    var looked = ContinuousClock.now
    while true {
        if let answer = try await ask() { return answer }
        guard waited < limit else { throw NotInTime("not within \(limit): \(what)") }
        try await Task.sleep(for: min(max(waited / 20, .milliseconds(5)), .milliseconds(25)))
        let now = ContinuousClock.now
        waited += min(now - looked, .milliseconds(250))
        looked = now
    }
}

/// Polls until the condition is true.
public func eventually(
    _ what: String,
    within limit: Duration = .seconds(60),
    isSo: () async throws -> Bool
) async throws {
    try await eventually(what, within: limit) { try await isSo() ? () : nil }
}

/// Sleeps while a fault lasts, in a test about that duration; it waits for no condition.
public func lasting(_ duration: Duration) async throws {
    try await Task.sleep(for: duration)
}
