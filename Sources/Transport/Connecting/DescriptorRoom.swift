import Glibc

/// Descriptors that connections leave to the rest of the process.
///
/// The last ones are not theirs: libdispatch, which runs Swift's tasks, opens a file of /proc for each of its threads when
/// all of them are busy, and ends the process when it cannot.
public enum DescriptorRoom {
    /// The number that stays free.
    public static let reserve = 16

    /// Whether a connection may have one more.
    static var isThere: Bool {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return true }
        guard let folder = opendir("/proc/self/fd") else { return errno != EMFILE && errno != ENFILE }
        defer { closedir(folder) }
        var open = 0
        while readdir(folder) != nil { open += 1 }
        // The folder's own descriptor is among them, and its two names that are none.
        return open - 3 + reserve < Int(clamping: limit.rlim_cur)
    }
}
