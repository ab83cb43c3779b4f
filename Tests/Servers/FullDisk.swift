import Foundation

/// A disk that is full, for processes that a test starts: their writes at an offset, which are those of SQLite, fail
/// with ENOSPC while it is.
///
/// `set` changes it while they run, with immediate effect.
public struct FullDisk: Sendable {
    private let path: String

    /// Creates a disk with room; its file is in a folder that is removed with the test.
    public init(in folder: String) throws {
        path = "\(folder)/disk-\(UInt32.random(in: 0 ... .max))"
        try Data(count: 1).write(to: URL(fileURLWithPath: path))
    }

    /// Makes the disk full, or gives it room.
    public func set(full isFull: Bool) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        // In place, because the processes have the file mapped.
        try file.write(contentsOf: Data([isFull ? 1 : 0]))
        try file.close()
    }

    /// Returns the environment that gives a process this disk.
    public func environment() throws -> [String: String] {
        ["LD_PRELOAD": try Self.library.get(), "FULL_DISK": path]
    }

    private static let library = Result { try PreloadedLibrary.compile(source, name: "disk") }

    private static let source = """
        #define _GNU_SOURCE
        #include <errno.h>
        #include <fcntl.h>
        #include <stdlib.h>
        #include <sys/mman.h>
        #include <sys/syscall.h>
        #include <unistd.h>

        static volatile char *full;

        __attribute__((constructor)) static void map(void) {
            const char *path = getenv("FULL_DISK");
            int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
            if (file < 0) return;
            void *mapped = mmap(NULL, 1, PROT_READ, MAP_SHARED, file, 0);
            close(file);
            if (mapped != MAP_FAILED) full = mapped;
        }

        ssize_t pwrite64(int file, const void *bytes, size_t count, off_t offset) {
            if (full && *full) {
                errno = ENOSPC;
                return -1;
            }
            return syscall(SYS_pwrite64, file, bytes, count, offset);
        }

        ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
            return pwrite64(file, bytes, count, offset);
        }

        """
}
