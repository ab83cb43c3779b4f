import Campaigns
import TLS

/// The version of a list: SHA-256 over its chunks, so that the same devices in the same order have the same version.
struct ListVersion {
    private var digest = [UInt8](repeating: 0, count: 32)

    /// Adds the next chunk, in the order of ordinals.
    mutating func add(_ chunk: ListChunk) throws {
        let group = chunk.group
        var bytes = digest
        for word in [
            group.provider.rawValue, group.environment?.rawValue ?? "", group.locale ?? "", group.timeZone ?? "",
        ] {
            bytes.append(contentsOf: word.utf8)
            bytes.append(0)
        }
        for id in chunk.deviceIDs {
            bytes.append(contentsOf: (id ?? "").utf8)
            bytes.append(0)
        }
        bytes.append(contentsOf: try chunk.devices.encoded())
        digest = SHA256.digest(bytes)
    }

    /// The version's text: twenty hexadecimal digits, enough that two lists never share one by accident.
    var text: String { Hexadecimal.text(digest.prefix(10)) }
}
