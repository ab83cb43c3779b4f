/// Spans that wait to be sent: a bounded queue, from which the oldest go first.
///
/// Full, it takes no more: nobody waits for a trace.
struct SpanBuffer: Sendable {
    /// Spans that wait at most: those of a million devices.
    static let spansMax = 2048
    /// Spans of one request.
    static let batchMax = 512

    private var waiting: [ShardSpan] = []
    /// Spans that found no room.
    private(set) var dropped = 0

    /// How many wait.
    var count: Int { waiting.count }

    /// Takes a span, or counts it as dropped.
    mutating func add(_ span: ShardSpan) {
        guard waiting.count < Self.spansMax else {
            dropped += 1
            return
        }
        waiting.append(span)
    }

    /// The next ones to send.
    mutating func take() -> [ShardSpan] {
        let batch = Array(waiting.prefix(Self.batchMax))
        waiting.removeFirst(batch.count)
        return batch
    }

    /// Some that could not be sent: they come first again, as far as there is room.
    mutating func giveBack(_ spans: [ShardSpan]) {
        let room = max(0, Self.spansMax - waiting.count)
        dropped += max(0, spans.count - room)
        waiting.insert(contentsOf: spans.suffix(room), at: 0)
    }
}
