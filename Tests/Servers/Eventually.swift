/// Something in another process that did not become true in time.
public struct NotInTime: Error, CustomStringConvertible {
    /// What was waited for, and how long.
    public let description: String

    /// What was waited for, and how long.
    public init(_ description: String) {
        self.description = description
    }
}

/// Asks until the answer is there: the only way to wait for a process that tells nobody.
///
/// Throws `NotInTime` with what was waited for. Time in which this process did not come to run is not counted: it says
/// nothing of the other side.
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
        try await Task.sleep(for: .milliseconds(5))
        let now = ContinuousClock.now
        waited += min(now - looked, .milliseconds(250))
        looked = now
    }
}

/// Asks until it is so.
public func eventually(
    _ what: String,
    within limit: Duration = .seconds(60),
    isSo: () async throws -> Bool
) async throws {
    try await eventually(what, within: limit) { try await isSo() ? () : nil }
}

/// Lets a fault last so long, in a test whose subject is that time; nothing is waited for.
public func lasting(_ duration: Duration) async throws {
    try await Task.sleep(for: duration)
}
