import Foundation

/// The previous version's program, N−1, for tests that run it beside this one.
///
/// `Deploy/test.sh --full` has it built (`Deploy/previous.sh`, minutes) and names it in `FANFARE_PREVIOUS`. Tests that
/// need it are enabled only then.
public enum PreviousBuild {
    /// The path of its executable; nil if none was built.
    public static let executable: String? = ProcessInfo.processInfo.environment["FANFARE_PREVIOUS"]

    /// True if a path is set.
    ///
    /// A path to nothing also counts, so that the test fails.
    public static let isThere = executable != nil
}
