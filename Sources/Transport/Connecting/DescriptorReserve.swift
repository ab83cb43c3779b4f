import Glibc

/// The file descriptors that connections leave to the rest of the process.
///
/// libdispatch, which runs Swift's tasks, opens a file of /proc for each of its threads when all of them are busy, and
/// ends the process when it cannot. So connections must not use the last descriptors.
public enum DescriptorReserve {
    /// The number of descriptors that stay free.
    public static let reserve = 16

    /// True if a connection may take one more descriptor.
    static var isThere: Bool {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return true }
        guard let folder = opendir("/proc/self/fd") else { return errno != EMFILE && errno != ENFILE }
        defer { closedir(folder) }
        var open = 0
        while readdir(folder) != nil { open += 1 }
        // The count includes the folder's own descriptor and the entries "." and "..".
        return open - 3 + reserve < Int(clamping: limit.rlim_cur)
    }
}
