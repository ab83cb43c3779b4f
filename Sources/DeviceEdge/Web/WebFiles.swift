import Campaigns
import PushProviders
import TLS
import WebServing

/// The client for browsers, compiled in: a module for pages, a service worker, and a description of both.
enum WebFiles {
    /// The module for the site's pages.
    static let page = StaticFile("fanfare.js", StaticFile.script, served(PackageResources.fanfare_js))
    /// The service worker.
    static let worker = StaticFile(
        "fanfare-worker.js",
        StaticFile.script,
        served(PackageResources.fanfare_worker_js)
    )
    /// The version, with the size and the hash of each file.
    static let description = StaticFile("fanfare.json", "application/json", Array((json.text + "\n").utf8))

    static let all = [page, worker, description]

    /// Returns a script without its comments and indentation, which are half of it.
    ///
    /// The scripts have no text of several lines in which these count.
    private static func served(_ source: [UInt8]) -> [UInt8] {
        let lines = source.split(separator: UInt8(ascii: "\n")).map { $0.drop { $0 == UInt8(ascii: " ") } }
        let code = lines.filter { !$0.isEmpty && !$0.starts(with: "//".utf8) }
        return Array(code.joined(separator: [UInt8(ascii: "\n")])) + [UInt8(ascii: "\n")]
    }

    private static var json: JSONValue {
        let files = [page, worker].map { file in
            let facts: JSONValue = [
                "bytes": .number(JSONNumber(file.bytes.count)), "integrity": .string(integrity(file.bytes)),
            ]
            return JSONMember(file.name, facts)
        }
        return ["version": .string(version), "files": .object(files)]
    }

    /// The version that both files name.
    static let version = "1.0.0"

    /// Returns the value of the attribute `integrity` (Subresource Integrity, section 3.1).
    private static func integrity(_ bytes: [UInt8]) -> String {
        let digits = Base64URL.encode(SHA256.digest(bytes)).map { digit in
            switch digit {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: digit
            }
        }
        return "sha256-\(String(decoding: digits, as: UTF8.self))="
    }
}
