import Foundation

/// Wall clocks by Python's `zoneinfo`, which reads the same database with its own code.
public enum PythonClock {
    /// The error for a script that failed.
    public struct Failure: Error {}

    /// Defines `instant(zone, reading)`: the first instant at which a clock shows a reading, or, if it skips the
    /// reading, the change.
    private static let prelude = """
        import sys
        from datetime import datetime, timedelta, timezone
        from zoneinfo import ZoneInfo
        def seconds(moment):
            return int(moment.astimezone(timezone.utc).timestamp())
        def shown(zone, second):
            return datetime.fromtimestamp(second, zone).replace(tzinfo=None)
        def instant(zone, reading):
            second = seconds(reading.replace(tzinfo=zone, fold=0))
            if shown(zone, second) == reading:
                return second
            low, high = second - 90000, second + 90000
            while low < high:
                middle = (low + high) // 2
                if shown(zone, middle) >= reading: high = middle
                else: low = middle + 1
            return low

        """

    /// Returns the lines that a script prints, split into words.
    public static func lines(_ script: String, _ arguments: [String]) throws -> [[String]] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", prelude + script] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure() }
        return output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    }
}
