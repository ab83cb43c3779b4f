import Foundation

/// The command's standard streams.
public enum Terminal {
    /// True if standard output is a terminal.
    public static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// True if standard input is a terminal, so that a person can answer.
    public static var isInputTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    /// The style of progress on standard output: a bar on a terminal, lines elsewhere and on dumb terminals.
    public static var progressStyle: ProgressReport.Style {
        let kind = ProcessInfo.processInfo.environment["TERM"]
        guard isOutputTerminal, kind != "dumb" else { return .lines }
        return .bar(columns: columns)
    }

    /// The terminal's width; 80 if it is unknown.
    private static var columns: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Writes to standard output and blocks until done; returns false when the reader is gone.
    @discardableResult
    public static func write(_ text: String) -> Bool {
        write(text, to: STDOUT_FILENO)
    }

    /// Writes to standard error: through the log's dispatcher if the process has a log, otherwise at once.
    public static func writeError(_ text: String) {
        if let log = StandardErrorLog.relay { log.add(text) } else { write(text, to: STDERR_FILENO) }
    }

    @discardableResult
    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        var text = text
        return text.withUTF8 { write(UnsafeRawBufferPointer($0), to: descriptor) == $0.count }
    }

    /// Writes bytes and blocks until done; returns the number written, fewer than all when writing fails.
    ///
    /// It is one `write` if the system takes everything, so that lines of several threads and processes do not mix.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
        var rest = bytes
        while !rest.isEmpty {
            let written = Foundation.write(descriptor, rest.baseAddress, rest.count)
            if written < 0, errno == EINTR { continue }
            if written < 0, errno == EAGAIN {
                // Another user of the descriptor has made it non-blocking.
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
