import Foundation

/// The tests that `Deploy/test.sh --full` adds, which take minutes (rounds of kills, long alarms, long simulations).
public enum FullSuite {
    /// True if they run.
    public static let isOn = ProcessInfo.processInfo.environment["FANFARE_FULL"] == "1"
}
