import Foundation
import Operations

/// The last lines of the log, from files that somebody names or else from the journal.
struct BundleLogs {
    /// The most bytes of a log.
    private static let bytesMost = 1 << 20
    private static let journal = "/usr/bin/journalctl"

    /// The files; none means the journal's units.
    let files: [String]

    /// Takes the last lines.
    func collect(into bundle: inout SupportBundle) async {
        guard files.isEmpty else {
            for (number, path) in files.enumerated() {
                do {
                    let name = URL(fileURLWithPath: path).lastPathComponent
                    bundle.add("log/\(number + 1)-\(name)", try Self.end(of: path))
                } catch {
                    bundle.miss("log", "\(path) cannot be read: \(error.localizedDescription)")
                }
            }
            return
        }
        let other = "name the file with its lines by --log FILE"
        let arguments = ["--unit", "fanfare*", "--lines", "5000", "--no-pager", "--quiet", "--output", "short-iso"]
        do {
            let (status, output) = try await HostProgram.run(Self.journal, arguments)
            guard status == 0, !output.isEmpty else {
                bundle.miss("log", "the journal has no line of units fanfare*; \(other)")
                return
            }
            bundle.add(
                "log/journal.txt",
                Self.whole(output.suffix(Self.bytesMost), isCut: output.count > Self.bytesMost)
            )
        } catch {
            bundle.miss("log", "there is no \(Self.journal); \(other)")
        }
    }

    private static func end(of path: String) throws -> [UInt8] {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        let size = Int(try file.seekToEnd())
        try file.seek(toOffset: UInt64(max(0, size - bytesMost)))
        return whole(Array(try file.readToEnd() ?? Data()).suffix(bytesMost), isCut: size > bytesMost)
    }

    /// Returns whole lines: half a token would not look like one.
    private static func whole(_ bytes: ArraySlice<UInt8>, isCut: Bool) -> [UInt8] {
        guard isCut, let end = bytes.firstIndex(of: 0x0A) else { return Array(bytes) }
        return Array(bytes[(end + 1)...])
    }
}
