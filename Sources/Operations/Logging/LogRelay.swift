import Foundation
import Synchronization

/// Takes the log's lines and writes them on its own thread: a caller never waits for the reader.
///
/// The lines that wait are limited: beyond that new lines are dropped and counted, so that the others stay in order.
/// When lines are taken again, a notice tells how many are missing at that point. May be used from any thread.
final class LogRelay: Sendable {
    /// The most bytes that wait, about a thousand lines; as many again may be in a blocked write.
    static let capacity = 256 << 10
    /// The thread's name in the system.
    static let threadName = "log"

    private struct Waiting {
        var bytes: [UInt8] = []
        /// The lines that found no room since the last batch; all of them come after `bytes`.
        var dropped = 0
        /// True if the thread has nothing to do and must be woken.
        var isIdle = false
        var isEnding = false

        /// Returns true if the thread must be woken.
        mutating func wakes() -> Bool {
            defer { isIdle = false }
            return isIdle
        }
    }

    private let capacity: Int
    private let waiting = Mutex(Waiting())
    private let signal = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// Starts the thread; the creator must end it.
    ///
    /// - Parameters:
    ///   - capacity: The most bytes that wait.
    ///   - notice: Returns the line about missing lines, with its newline.
    ///   - write: Writes bytes and blocks until done; returns the number written, fewer than all when writing fails.
    init(
        capacity: Int = LogRelay.capacity,
        notice: @escaping @Sendable (_ dropped: Int) -> String,
        write: @escaping @Sendable (UnsafeRawBufferPointer) -> Int
    ) {
        self.capacity = capacity
        waiting.withLock { $0.bytes.reserveCapacity(capacity) }
        let thread = Thread { [self] in
            // `Thread.name` does not reach the system, so the name is written here; without /proc the thread has none.
            try? Data(Self.threadName.utf8).write(to: URL(fileURLWithPath: "/proc/thread-self/comm"))
            var writer = LineWriter(notice: notice, write: write)
            var batch: [UInt8] = []
            batch.reserveCapacity(capacity)
            while let dropped = next(&batch) { writer.write(batch, dropped: dropped) }
            ended.signal()
        }
        thread.start()
    }

    /// Adds a line with its newline; never waits.
    func add(_ line: String) {
        let wakes = waiting.withLock { waiting in
            // After a line that found no room all others wait for the notice, however short they are.
            if waiting.dropped > 0 || waiting.bytes.count + line.utf8.count > capacity {
                waiting.dropped += 1
            } else {
                waiting.bytes.append(contentsOf: line.utf8)
            }
            return waiting.wakes()
        }
        if wakes { signal.signal() }
    }

    /// Writes the waiting lines and ends the thread; returns false when that takes longer than `limit`.
    ///
    /// Lines that are added afterwards may be lost.
    @discardableResult
    func end(within limit: DispatchTimeInterval) -> Bool {
        let wakes = waiting.withLock { waiting in
            waiting.isEnding = true
            return waiting.wakes()
        }
        if wakes { signal.signal() }
        return ended.wait(timeout: .now() + limit) == .success
    }

    /// Waits for lines and swaps them for an empty buffer; returns the number of dropped lines, nil at the end.
    private func next(_ batch: inout [UInt8]) -> Int? {
        batch.removeAll(keepingCapacity: true)
        while true {
            let found: (dropped: Int, isEnding: Bool) = waiting.withLock { waiting in
                swap(&waiting.bytes, &batch)
                defer { waiting.dropped = 0 }
                waiting.isIdle = batch.isEmpty && waiting.dropped == 0 && !waiting.isEnding
                return (waiting.dropped, waiting.isEnding)
            }
            if !batch.isEmpty || found.dropped > 0 { return found.dropped }
            if found.isEnding { return nil }
            signal.wait()
        }
    }
}

/// Writes lines, and a notice about missing ones as soon as that is possible.
private struct LineWriter {
    let notice: @Sendable (Int) -> String
    let write: @Sendable (UnsafeRawBufferPointer) -> Int
    private var missing = 0
    /// True if the last line was written in part only: a full disk takes what it has room for.
    private var isWithinLine = false

    init(notice: @escaping @Sendable (Int) -> String, write: @escaping @Sendable (UnsafeRawBufferPointer) -> Int) {
        self.notice = notice
        self.write = write
    }

    /// Writes a batch of lines; `dropped` lines came after them.
    mutating func write(_ lines: [UInt8], dropped: Int) {
        sayWhatIsMissing()
        // Nothing is written after a gap before its notice.
        missing += missing == 0 ? put(lines) : Self.count(lines[...])
        missing += dropped
        sayWhatIsMissing()
    }

    private mutating func sayWhatIsMissing() {
        guard missing > 0 else { return }
        let line = (isWithinLine ? "\n" : "") + notice(missing)
        if put(Array(line.utf8)) == 0 { missing = 0 }
    }

    /// Returns the number of lines that were not written in full.
    private mutating func put(_ bytes: [UInt8]) -> Int {
        let written = bytes.withUnsafeBytes { $0.isEmpty ? 0 : write($0) }
        if written > 0 { isWithinLine = bytes[written - 1] != UInt8(ascii: "\n") }
        return Self.count(bytes[written...])
    }

    private static func count(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.count { $0 == UInt8(ascii: "\n") }
    }
}
