import Sanitizers

#if canImport(Glibc)
import Glibc
#endif

/// The number of campaigns that a run of the tests simulates.
enum SeedCount {
    /// 400, which in a debug build take as long as all other pure tests; 1,000 in the full suite, fewer under a
    /// sanitizer.
    static let byDefault = UInt64(Sanitizer.rounds(getenv("FANFARE_FULL") == nil ? 400 : 1_000))
}
