import Foundation

/// What `Deploy/test.sh --full` adds: tests that take minutes (rounds of kills, long alarms, long simulations).
public enum FullSuite {
    /// Whether they run.
    public static let isOn = ProcessInfo.processInfo.environment["FANFARE_FULL"] == "1"
}
