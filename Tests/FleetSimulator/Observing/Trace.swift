/// Lines for everything that happens, and a hash of all of it.
///
/// Two runs of a seed are alike when their hashes are. The last lines are kept for whoever asks why a run failed.
/// Safety: used by the process's only thread.
final class Trace: @unchecked Sendable {
    /// FNV-1a of everything so far.
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var lines: [String] = []
    /// The clock that lines are stamped with, in nanoseconds.
    var clock: () -> Int64 = { 0 }
    /// Called with each message of a worker's log.
    var logged: (String) -> Void = { _ in }
    /// The path of the run's folder, which differs between processes and is left out of lines.
    var folder = ""
    private let isPrinted: Bool
    /// The lines that are kept.
    private static let keptMax = 400

    /// Creates a trace; with `isPrinted`, each line is printed as it comes.
    init(isPrinted: Bool) { self.isPrinted = isPrinted }

    /// Notes a step of the scheduler, without a line.
    func step(_ number: Int, _ now: Int64, _ runQueue: String) {
        mix(UInt64(number))
        mix(UInt64(now))
        mix(runQueue.utf8)
    }

    /// Notes an event.
    func note(_ who: String, _ what: String) {
        let text = folder.isEmpty ? what : what.replacing(folder, with: "")
        let line = "\(Self.seconds(clock())) \(who): \(text)"
        mix(line.utf8)
        if isPrinted { print(line) }
        lines.append(line)
        if lines.count >= 2 * Self.keptMax { lines.removeFirst(Self.keptMax) }
    }

    /// Notes bytes on the wire, without a line.
    func wire(_ connection: Int, _ bytes: [UInt8]) {
        mix(UInt64(connection))
        mix(bytes)
    }

    private func mix(_ value: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { mix(byte: UInt8(truncatingIfNeeded: value >> shift)) }
    }

    private func mix(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { mix(byte: byte) }
        mix(byte: 0)
    }

    private func mix(byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }

    /// Returns a time in seconds with six decimals.
    private static func seconds(_ nanoseconds: Int64) -> String {
        let micros = String(nanoseconds / 1000 % 1_000_000)
        return "\(nanoseconds / 1_000_000_000).\(String(repeating: "0", count: 6 - micros.count))\(micros)"
    }
}
