/// The identity of this program.
package enum Build {
    /// The version, by semver.org.
    package static let version = "0.1.0"
}
