/// A bounded queue of spans to be sent, the oldest first.
///
/// When full, it drops new ones: no work waits for a trace.
struct SpanBuffer: Sendable {
    /// The most spans that wait: those of a million devices.
    static let spansMax = 2048
    /// The most spans of one request.
    static let batchMax = 512

    private var waiting: [ShardSpan] = []
    /// The number of dropped spans.
    private(set) var dropped = 0

    /// The number of waiting spans.
    var count: Int { waiting.count }

    /// Adds a span, or counts it as dropped.
    mutating func add(_ span: ShardSpan) {
        guard waiting.count < Self.spansMax else {
            dropped += 1
            return
        }
        waiting.append(span)
    }

    /// Removes and returns the next spans to send.
    mutating func take() -> [ShardSpan] {
        let batch = Array(waiting.prefix(Self.batchMax))
        waiting.removeFirst(batch.count)
        return batch
    }

    /// Puts spans that could not be sent back to the front, as far as there is room.
    mutating func giveBack(_ spans: [ShardSpan]) {
        let room = max(0, Self.spansMax - waiting.count)
        dropped += max(0, spans.count - room)
        waiting.insert(contentsOf: spans.suffix(room), at: 0)
    }
}
