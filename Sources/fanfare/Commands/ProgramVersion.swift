import CBuild
import Operations

/// The version of this program.
enum ProgramVersion {
    /// The version and the commit that it was built from, as `--version` prints them.
    static var text: String { "fanfare \(Build.version) (\(commit))" }

    private static var commit: String {
        let digits = String(cString: fanfare_build_commit())
        return "commit " + (digits.isEmpty ? "unknown" : digits.prefix(12))
    }
}
