/// The identity of this program.
public enum Build {
    /// The version, by semver.org.
    public static let version = "0.1.0"
}
