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

    /// Writes to standard output at once; false when nobody reads it any more.
    @discardableResult
    public static func write(_ text: String) -> Bool {
        write(text, to: STDOUT_FILENO)
    }

    /// Writes to standard error at once.
    @discardableResult
    public static func writeError(_ text: String) -> Bool {
        write(text, to: STDERR_FILENO)
    }

    /// One `write` where the system takes it whole, so that lines of several threads and processes do not mix.
    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let written = Foundation.write(descriptor, rest.baseAddress, rest.count)
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { return false }
                rest = UnsafeRawBufferPointer(rebasing: rest[written...])
            }
            return true
        }
    }
}
