import Foundation

/// What the command's standard streams are.
public enum Terminal {
    /// Whether a person sees standard output as it comes.
    public static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether a person can answer.
    public static var isInputTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    /// How progress is shown on standard output: a bar on a terminal, lines elsewhere and on terminals that cannot move.
    public static var progressStyle: ProgressReport.Style {
        let kind = ProcessInfo.processInfo.environment["TERM"]
        guard isOutputTerminal, kind != "dumb" else { return .lines }
        return .bar(columns: columns)
    }

    /// The terminal's width; 80 when it does not say.
    private static var columns: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Writes to standard output at once, for as long as that takes; false when nobody reads it any more.
    @discardableResult
    public static func write(_ text: String) -> Bool {
        write(text, to: STDOUT_FILENO)
    }

    /// Writes to standard error: in its turn where the process has a log, otherwise at once.
    public static func writeError(_ text: String) {
        if let log = StandardErrorLog.relay { log.add(text) } else { write(text, to: STDERR_FILENO) }
    }

    @discardableResult
    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        var text = text
        return text.withUTF8 { write(UnsafeRawBufferPointer($0), to: descriptor) == $0.count }
    }

    /// Writes bytes, for as long as that takes; answers how many, fewer than all when no more can be written.
    ///
    /// One `write` where the system takes it whole, so that lines of several threads and processes do not mix.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
        var rest = bytes
        while !rest.isEmpty {
            let written = Foundation.write(descriptor, rest.baseAddress, rest.count)
            if written < 0, errno == EINTR { continue }
            if written < 0, errno == EAGAIN {
                // Whoever shares the descriptor has made it one that does not wait.
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
                continue
            }
            guard written > 0 else { break }
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
        return bytes.count - rest.count
    }
}
