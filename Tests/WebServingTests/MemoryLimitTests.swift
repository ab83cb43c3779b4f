import Testing

@testable import WebServing

/// The memory that control groups leave to a process.
@Suite struct MemoryLimitTests {
    private func limit(_ files: [String: String]) -> Int? { MemoryLimit.ofGroups { files[$0] } }

    @Test func `the least limit of a group and those above it counts`() {
        var files = [
            "/proc/self/cgroup": "0::/fleet.slice/edge.service\n",
            "/sys/fs/cgroup/fleet.slice/edge.service/memory.max": "max\n",
            "/sys/fs/cgroup/fleet.slice/memory.max": "536870912\n",
        ]
        #expect(limit(files) == 512 << 20)
        for (own, least) in [("268435456", 256 << 20), ("1073741824", 512 << 20)] {
            files["/sys/fs/cgroup/fleet.slice/edge.service/memory.max"] = own + "\n"
            #expect(limit(files) == least)
        }
    }

    @Test func `in a container only the root is there`() {
        let files = ["/proc/self/cgroup": "0::/../../x\n", "/sys/fs/cgroup/memory.max": "1073741824\n"]
        #expect(limit(files) == 1 << 30)
    }

    @Test func `version 1 says no limit with a number`() {
        var files = [
            "/proc/self/cgroup": "12:cpu,cpuacct:/a\n5:memory:/a\n0::/\n",
            "/sys/fs/cgroup/memory/a/memory.limit_in_bytes": "9223372036854771712\n",
        ]
        #expect(limit(files) == nil)
        files["/sys/fs/cgroup/memory/memory.limit_in_bytes"] = "2147483648\n"
        #expect(limit(files) == 2 << 30)
    }

    @Test func `without groups there is none, and the machine's memory is one`() {
        #expect(limit([:]) == nil)
        #expect(limit(["/proc/self/cgroup": "nonsense\n\n1\n0::/x\n", "/sys/fs/cgroup/memory.max": "a lot"]) == nil)
        #expect(MemoryLimit.read() > 64 << 20)
    }
}
