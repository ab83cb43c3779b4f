extension Exposition {
    /// Writes the program's version: the value is 1, the label has the version.
    package mutating func writeBuild() {
        family("fanfare_build_info", .gauge, "The program's version.")
        sample("fanfare_build_info", [("version", Build.version)], 1)
    }

    /// Writes the metrics of the process, as Prometheus' client libraries do.
    package mutating func writeProcess() {
        let process = ProcessMetrics.read()
        single(
            "process_cpu_seconds_total",
            .counter,
            "User and system time of the process.",
            seconds: process.cpuSeconds
        )
        single("process_resident_memory_bytes", .gauge, "Memory that is resident.", process.resident)
        single("process_virtual_memory_bytes", .gauge, "Address space.", process.virtual)
        single("process_open_fds", .gauge, "Open file descriptors.", process.openFiles)
        single("process_max_fds", .gauge, "Open file descriptors that are allowed.", process.openFilesMax)
        single(
            "process_start_time_seconds",
            .gauge,
            "Start of the process, in seconds since 1970.",
            seconds: process.startedAt
        )
    }
}
