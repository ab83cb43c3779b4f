import Campaigns
import Operations

/// A device's token in a file, as every user of a host can see arguments.
enum TokenFile {
    /// Returns the text of a file, or of standard input for `-`, without surrounding white space.
    static func text(_ file: String) throws -> String {
        do {
            let bytes = try InputFile(path: file).readAll(upTo: 65_536)
            let text = bytes.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed()
            return String(decoding: Array(text), as: UTF8.self)
        } catch {
            throw CommandFailure(.usage, error.description)
        }
    }
}
