import Glibc

/// The process metrics of Prometheus' client libraries; read from `/proc` at each scrape.
struct ProcessMetrics: Sendable {
    /// User and system time, in seconds.
    var cpuSeconds: Double
    /// Bytes in memory.
    var resident: Int
    /// Bytes of address space.
    var virtual: Int
    var openFiles: Int
    var openFilesMax: UInt
    /// Seconds since 1970.
    var startedAt: Double

    /// Reads the metrics of this process.
    static func read() -> ProcessMetrics {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let page = sysconf(Int32(_SC_PAGESIZE))
        let pages = text("/proc/self/statm").split(separator: " ").compactMap { Int($0) }
        return ProcessMetrics(
            cpuSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
            resident: pages.count > 1 ? pages[1] * page : 0,
            virtual: (pages.first ?? 0) * page,
            openFiles: entries("/proc/self/fd"),
            openFilesMax: UInt(limit.rlim_cur),
            startedAt: started
        )
    }

    /// The start of the process: the boot's instant and the 22nd field of `stat`, in clock ticks (proc(5)).
    private static let started: Double = {
        let boot = text("/proc/stat").split(separator: "\n").first { $0.hasPrefix("btime ") }?.dropFirst(6)
        // The second field is the program's name in parentheses and may contain spaces.
        let fields = text("/proc/self/stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard let boot, let booted = Double(boot), fields.count > 19, let ticks = Double(fields[19]) else { return 0 }
        return booted + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }()

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
    }

    private static func text(_ path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 16_384)
        return String(decoding: buffer[..<fread(&buffer, 1, buffer.count, file)], as: UTF8.self)
    }

    private static func entries(_ path: String) -> Int {
        guard let folder = opendir(path) else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // The count includes the folder itself, `.` and `..`.
        return max(0, count - 3)
    }
}
