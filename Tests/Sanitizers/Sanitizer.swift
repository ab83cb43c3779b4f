#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The thread or address sanitizer, where tests run under one (`Deploy/sanitize.sh`).
///
/// All code is several times as slow there. What it finds, it finds in the code that runs, however often that is: seeded
/// tests do fewer rounds, and deadlines that are short for the test's sake are longer.
public enum Sanitizer {
    /// Whether the runtime of one is in this process.
    public static let isOn = {
        let process = dlopen(nil, RTLD_NOW)
        return dlsym(process, "__tsan_init") != nil || dlsym(process, "__asan_init") != nil
    }()

    /// How many of `count` rounds a seeded test does: a tenth under a sanitizer.
    public static func rounds(_ count: Int) -> Int { isOn ? (count + 9) / 10 : count }

    /// A deadline that a test waits out and that a healthy peer keeps: twenty times as long under a sanitizer.
    public static func patience(_ duration: Duration) -> Duration { isOn ? duration * 20 : duration }
}
