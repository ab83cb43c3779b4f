import Foundation
import Synchronization

/// Takes the log's lines and writes them on a thread of its own: who logs never waits for who reads.
///
/// What is not written yet is bounded: lines beyond it are dropped and counted, the new ones, so that the order of the
/// others stays. Once lines are taken again, one says how many are missing at its place. May be used from any thread.
final class LogRelay: Sendable {
    /// Bytes that wait at most, about a thousand lines; as many again may be under way to a reader who stands still.
    static let capacity = 256 << 10
    /// The name that the system shows.
    static let threadName = "log"

    private struct Waiting {
        var bytes: [UInt8] = []
        /// Lines that found no room since the last turn; all of them come after `bytes`.
        var dropped = 0
        /// The thread has nothing to do and is to be woken.
        var isIdle = false
        var isEnding = false

        /// Whether the thread is to be woken.
        mutating func wakes() -> Bool {
            defer { isIdle = false }
            return isIdle
        }
    }

    private let capacity: Int
    private let waiting = Mutex(Waiting())
    private let signal = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// Starts the thread; who makes one ends it.
    ///
    /// - Parameters:
    ///   - capacity: bytes that wait at most.
    ///   - notice: the line that says how many are missing, with its newline.
    ///   - write: writes bytes, for as long as that takes; answers how many, fewer than all when no more can be written.
    init(
        capacity: Int = LogRelay.capacity,
        notice: @escaping @Sendable (_ dropped: Int) -> String,
        write: @escaping @Sendable (UnsafeRawBufferPointer) -> Int
    ) {
        self.capacity = capacity
        waiting.withLock { $0.bytes.reserveCapacity(capacity) }
        let thread = Thread { [self] in
            // What `Thread.name` is set to the system does not hear of; without /proc the thread has no name.
            try? Data(Self.threadName.utf8).write(to: URL(fileURLWithPath: "/proc/thread-self/comm"))
            var writer = LineWriter(notice: notice, write: write)
            var turn: [UInt8] = []
            turn.reserveCapacity(capacity)
            while let dropped = next(&turn) { writer.write(turn, dropped: dropped) }
            ended.signal()
        }
        thread.start()
    }

    /// Takes a line with its newline; never waits.
    func add(_ line: String) {
        let wakes = waiting.withLock { waiting in
            // After one that found no room the others wait for the notice, however short they are.
            if waiting.dropped > 0 || waiting.bytes.count + line.utf8.count > capacity {
                waiting.dropped += 1
            } else {
                waiting.bytes.append(contentsOf: line.utf8)
            }
            return waiting.wakes()
        }
        if wakes { signal.signal() }
    }

    /// Has what waits written and ends the thread; false when that takes longer than `limit`.
    ///
    /// What is added afterwards may be lost.
    @discardableResult
    func end(within limit: DispatchTimeInterval) -> Bool {
        let wakes = waiting.withLock { waiting in
            waiting.isEnding = true
            return waiting.wakes()
        }
        if wakes { signal.signal() }
        return ended.wait(timeout: .now() + limit) == .success
    }

    /// Waits for lines and takes them in exchange for an empty buffer; nil at the end.
    private func next(_ turn: inout [UInt8]) -> Int? {
        turn.removeAll(keepingCapacity: true)
        while true {
            let found: (dropped: Int, isEnding: Bool) = waiting.withLock { waiting in
                swap(&waiting.bytes, &turn)
                defer { waiting.dropped = 0 }
                waiting.isIdle = turn.isEmpty && waiting.dropped == 0 && !waiting.isEnding
                return (waiting.dropped, waiting.isEnding)
            }
            if !turn.isEmpty || found.dropped > 0 { return found.dropped }
            if found.isEnding { return nil }
            signal.wait()
        }
    }
}

/// Writes lines, and says how many are missing as soon as that can be written.
private struct LineWriter {
    let notice: @Sendable (Int) -> String
    let write: @Sendable (UnsafeRawBufferPointer) -> Int
    private var missing = 0
    /// The last line came to a part of itself: a full disk takes what it has room for.
    private var isWithinLine = false

    init(notice: @escaping @Sendable (Int) -> String, write: @escaping @Sendable (UnsafeRawBufferPointer) -> Int) {
        self.notice = notice
        self.write = write
    }

    /// Writes a turn's lines; `dropped` came after them.
    mutating func write(_ lines: [UInt8], dropped: Int) {
        sayWhatIsMissing()
        // Nothing is written past a gap that is not said.
        missing += missing == 0 ? put(lines) : Self.count(lines[...])
        missing += dropped
        sayWhatIsMissing()
    }

    private mutating func sayWhatIsMissing() {
        guard missing > 0 else { return }
        let line = (isWithinLine ? "\n" : "") + notice(missing)
        if put(Array(line.utf8)) == 0 { missing = 0 }
    }

    /// Answers how many lines were not written whole.
    private mutating func put(_ bytes: [UInt8]) -> Int {
        let written = bytes.withUnsafeBytes { $0.isEmpty ? 0 : write($0) }
        if written > 0 { isWithinLine = bytes[written - 1] != UInt8(ascii: "\n") }
        return Self.count(bytes[written...])
    }

    private static func count(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.count { $0 == UInt8(ascii: "\n") }
    }
}
