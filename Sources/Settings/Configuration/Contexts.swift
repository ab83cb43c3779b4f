import Foundation

/// Installations by name, so that an operator of several need not type paths: `NAME` is the configuration file
/// `fanfare/NAME.yaml` in `$XDG_CONFIG_HOME`, or else in `~/.config` (XDG Base Directory Specification).
package struct Contexts: Sendable {
    /// The variable that names the context when no flag does.
    package static let variable = "FANFARE_CONTEXT"

    /// The folder of the files.
    package let folder: String

    /// Creates the contexts of a user; nil when the environment names no home.
    package init?(environment: [String: String]) {
        if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") {
            folder = base + "/fanfare"
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            folder = home + "/.config/fanfare"
        } else {
            return nil
        }
    }

    /// The names, sorted.
    package var names: [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.filter(Self.isName).sorted()
    }

    /// Returns the file of a name, whether it exists or not; nil when the text cannot be a name.
    package func file(_ name: String) -> String? { Self.isName(name) ? "\(folder)/\(name).yaml" : nil }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && !text.hasPrefix(".")
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
                default: false
                }
            }
    }
}
