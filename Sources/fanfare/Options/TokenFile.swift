import Campaigns
import Fleet

/// A device's token in a file: arguments are seen by every user of a host.
enum TokenFile {
    /// The text of a file, or of standard input for `-`, without the blanks around it.
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
