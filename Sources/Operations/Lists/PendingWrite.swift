import Delivery

/// A write to the ledger that goes on while the next devices are read and made into chunks.
///
/// There is one at a time, so that memory stays flat: the chunks that are written, and the ones that are collected
/// meanwhile. A failure is thrown by `end`, which comes before each further write and before the end of the upload.
/// Confined to one task.
struct PendingWrite {
    private var task: Task<UploadMark?, any Error>?

    /// Begins a write; the one before has ended.
    ///
    /// The write returns the place that the ledger has reached; nil for a list without an id.
    mutating func begin(_ write: @escaping @Sendable () async throws -> UploadMark?) {
        precondition(task == nil, "a write began while another was pending")
        // At once: on a machine with one core no other thread would take the task before this one waits for it.
        task = Task.immediate { try await write() }
    }

    /// Waits for the write; returns its place, or nil if there is none.
    mutating func end() async throws -> UploadMark? {
        guard let task else { return nil }
        self.task = nil
        return try await task.value
    }
}
