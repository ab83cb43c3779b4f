import Foundation

/// A wrong wall clock for processes that a test starts: their CLOCK_REALTIME is shifted, and the clocks that nobody
/// sets are not.
///
/// `set` shifts it while they run, with immediate effect. This is not libfaketime, which treats every absolute timer as
/// one of the wall clock (0.9.10, `timerfd_settime`): when it sets a process's clock back, all of its timers stop.
public struct ShiftedClock: Sendable {
    private let path: String

    /// Creates a clock that is right until it is set; its file is in a folder that is removed with the test.
    public init(in folder: String) throws {
        path = "\(folder)/clock-\(UInt32.random(in: 0 ... .max))"
        try Data(count: 8).write(to: URL(fileURLWithPath: path))
    }

    /// Sets the clock by so many seconds ahead of the right time; negative means behind.
    public func set(ahead seconds: Int) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        // In place, because the processes have the file mapped.
        try file.write(contentsOf: withUnsafeBytes(of: Int64(seconds)) { Data($0) })
        try file.close()
    }

    /// Returns the environment that gives a process this clock.
    public func environment() throws -> [String: String] {
        ["LD_PRELOAD": try Self.library.get(), "SHIFTED_CLOCK": path]
    }

    private static let library = Result { try PreloadedLibrary.compile(source, name: "clock") }

    private static let source = """
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <stdlib.h>
        #include <sys/mman.h>
        #include <sys/syscall.h>
        #include <sys/time.h>
        #include <time.h>
        #include <unistd.h>

        static volatile long long *ahead;

        __attribute__((constructor)) static void map(void) {
            const char *path = getenv("SHIFTED_CLOCK");
            int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
            if (file < 0) return;
            void *place = mmap(NULL, sizeof *ahead, PROT_READ, MAP_SHARED, file, 0);
            close(file);
            if (place != MAP_FAILED) ahead = place;
        }

        int clock_gettime(clockid_t clock, struct timespec *time) {
            int result = syscall(SYS_clock_gettime, clock, time);
            if (result == 0 && ahead && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += *ahead;
            return result;
        }

        int gettimeofday(struct timeval *restrict time, void *restrict zone) {
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            time->tv_sec = now.tv_sec;
            time->tv_usec = now.tv_nsec / 1000;
            return 0;
        }

        time_t time(time_t *place) {
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            if (place) *place = now.tv_sec;
            return now.tv_sec;
        }

        """
}
