import Foundation

/// A wrong wall clock for processes that a test starts: their CLOCK_REALTIME is shifted, and the clocks that nobody
/// sets are not.
///
/// `set` shifts it while they run, with immediate effect. This is not libfaketime, which treats every absolute timer as
/// one of the wall clock (0.9.10, `timerfd_settime`): when it sets a process's clock back, all of its timers stop.
public struct ShiftedClock: Sendable {
    private let path: String

    /// Creates a clock that is right until it is set; its file is in a folder that is removed with the test.
    public init(in folder: String) throws {
        path = "\(folder)/clock-\(UInt32.random(in: 0 ... .max))"
        try Data(count: 8).write(to: URL(fileURLWithPath: path))
    }

    /// Sets the clock by so many seconds ahead of the right time; negative means behind.
    public func set(ahead seconds: Int) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        // In place, because the processes have the file mapped.
        try file.write(contentsOf: withUnsafeBytes(of: Int64(seconds)) { Data($0) })
        try file.close()
    }

    /// Returns the environment that gives a process this clock.
    public func environment() throws -> [String: String] {
        ["LD_PRELOAD": try Self.library.get(), "SHIFTED_CLOCK": path]
    }

    private static let library = Result {
        let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let source = try String(contentsOf: root.appending(path: "Deploy/hosts/clock.c"), encoding: .utf8)
        return try PreloadedLibrary.compile(source, name: "clock")
    }
}
