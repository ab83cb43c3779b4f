import Foundation

/// The command's standard streams.
package enum Terminal {
    /// True if standard output is a terminal.
    package static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// True if standard input is a terminal, so that a person can answer.
    package static var isInputTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    /// Writes to standard output and blocks until done; returns false when the reader is gone.
    @discardableResult
    package static func write(_ text: String) -> Bool {
        write(text, to: STDOUT_FILENO)
    }

    /// Writes to standard error: through the log's dispatcher if the process has a log, otherwise at once.
    package static func writeError(_ text: String) {
        if let log = StandardErrorLog.relay { log.add(text) } else { write(text, to: STDERR_FILENO) }
    }

    @discardableResult
    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        var text = text
        return text.withUTF8 { Descriptor.write(UnsafeRawBufferPointer($0), to: descriptor) == $0.count }
    }
}
