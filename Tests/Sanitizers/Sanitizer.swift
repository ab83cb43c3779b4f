#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The thread or address sanitizer that tests may run under (`Deploy/sanitize.sh`).
///
/// It makes all code several times slower, and finds faults in any code that runs, however often. So seeded tests do
/// fewer rounds, and deadlines that are short for a test's sake are longer.
public enum Sanitizer {
    /// True if a sanitizer's runtime is in this process.
    public static let isOn = {
        let process = dlopen(nil, RTLD_NOW)
        return dlsym(process, "__tsan_init") != nil || dlsym(process, "__asan_init") != nil
    }()

    /// Returns the number of a seeded test's `count` rounds to run: a tenth under a sanitizer.
    public static func rounds(_ count: Int) -> Int { isOn ? (count + 9) / 10 : count }

    /// Returns a deadline that a test waits out and that a healthy peer meets: twenty times as long under a sanitizer.
    public static func patience(_ duration: Duration) -> Duration { isOn ? duration * 20 : duration }
}
