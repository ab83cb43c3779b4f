import Foundation

/// The program of the version before, N−1, for tests that let it run beside this one.
///
/// `Deploy/test.sh --full` has it built (`Deploy/previous.sh`, minutes) and names it in `FANFARE_PREVIOUS`; tests that
/// need it are enabled with it.
public enum PreviousBuild {
    /// Its executable; nil where none was built.
    public static let executable: String? = ProcessInfo.processInfo.environment["FANFARE_PREVIOUS"]

    /// Whether it is there.
    ///
    /// A path that is named and leads nowhere is there all the same: the test fails then.
    public static let isThere = executable != nil
}
