import Glibc

/// The memory that this process may have, in bytes.
enum MemoryLimit {
    /// Returns the least limit of the process' control groups (version 2 or 1); without one the machine's memory.
    static func read() -> Int {
        let machine = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
        return min(machine, ofGroups(file: text) ?? machine)
    }

    /// Returns the least limit of a process' groups and their ancestors; nil when there is none.
    ///
    /// `file` reads a file, nil when there is none (cgroups(7), `Documentation/admin-guide/cgroup-v2.rst`).
    static func ofGroups(file: (String) -> String?) -> Int? {
        var limits: [Int] = []
        for line in (file("/proc/self/cgroup") ?? "").split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            let isSecond = parts[0] == "0" && parts[1].isEmpty
            guard isSecond || parts[1].split(separator: ",").contains("memory") else { continue }
            let (root, name) =
                isSecond ? ("/sys/fs/cgroup", "memory.max") : ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            // A group's limit binds all groups below it. In a container the path may be the host's, with only the root
            // there.
            var path = parts[2].split(separator: "/").map(String.init)
            while true {
                let folder = ([root] + path).joined(separator: "/")
                // `max` means none, and so does version 1's number near 2⁶³.
                if let limit = file("\(folder)/\(name)").flatMap({ Int($0.prefix { $0.isNumber }) }), limit > 0,
                    limit < 1 << 60
                {
                    limits.append(limit)
                }
                if path.isEmpty { break }
                path.removeLast()
            }
        }
        return limits.min()
    }

    private static func text(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        return String(decoding: buffer[..<fread(&buffer, 1, buffer.count, file)], as: UTF8.self)
    }
}

/// The descriptors that this process may have.
enum DescriptorLimit {
    /// Raises the soft limit as far as the hard one allows, at no cost, and returns it.
    ///
    /// Programs keep the soft limit low for `select`, which this one does not use.
    static func raise() -> Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        if limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = min(limit.rlim_max, most)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// Beyond a million connections, memory runs out first.
    private static let most: rlim_t = 1 << 20
}
