import Campaigns
import Foundation
import Operations

/// Counts the allocations of a process with a library of ours, loaded before the system's (ld.so(8), LD_PRELOAD).
struct AllocationCounter: Sendable {
    private let library: String
    private let file: String

    /// Builds the library with the system's C compiler.
    static func build(in folder: String, _ stage: BenchStage) async throws -> AllocationCounter {
        guard let compiler = ["cc", "clang", "gcc"].lazy.compactMap({ BenchTools.path(of: $0) }).first else {
            throw CommandFailure(.failed, "there is no C compiler: apt-get install gcc libc6-dev")
        }
        let source = folder + "/malloc-count.c"
        let counter = AllocationCounter(library: folder + "/malloc-count.so", file: folder + "/malloc-count")
        let files = [(source, Data(PackageResources.malloc_count_c)), (counter.file, Data(count: 8))]
        for (path, data) in files where !FileManager.default.createFile(atPath: path, contents: data) {
            throw CommandFailure(.failed, "the file \(path) cannot be written")
        }
        let command = [compiler, "-O2", "-shared", "-fPIC", "-o", counter.library, source]
        _ = try await stage.processes.run("cc", command)
        return counter
    }

    /// The environment that a counted process needs.
    var variables: [String: String] { ["LD_PRELOAD": library, "MALLOC_COUNT_FILE": file] }

    /// Returns the allocations so far of all processes started with these variables.
    func count() throws -> Int {
        guard let data = FileManager.default.contents(atPath: file), data.count == 8 else {
            throw CommandFailure(.failed, "the count of allocations cannot be read from \(file)")
        }
        // In the writer's own byte order.
        return data.withUnsafeBytes { Int($0.loadUnaligned(as: UInt64.self)) }
    }
}
