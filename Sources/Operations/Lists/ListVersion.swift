import Campaigns
import Delivery
import TLS

/// The version of a list: SHA-256 over its chunks, so that the same devices in the same order have the same version.
struct ListVersion {
    /// The hash of no chunk.
    static let start = [UInt8](repeating: 0, count: 32)

    /// The chunks so far, and their hash.
    private(set) var place = UploadMark(chunks: 0, digest: start)

    /// Adds the next chunk, in the order of ordinals.
    mutating func add(_ chunk: ListChunk) throws {
        let group = chunk.group
        var bytes = place.digest
        for word in [
            group.provider.rawValue, group.environment?.rawValue ?? "", group.locale ?? "", group.timeZone ?? "",
        ] {
            bytes.append(contentsOf: word.utf8)
            bytes.append(0)
        }
        let ids = chunk.deviceIDs
        for range in ids.isEmpty ? [] : ids.ranges {
            if let range { bytes.append(contentsOf: ids.bytes[range]) }
            bytes.append(0)
        }
        bytes.append(contentsOf: try chunk.devices.encoded())
        place = UploadMark(chunks: place.chunks + 1, digest: SHA256.digest(bytes))
    }

    /// The version's text: twenty hexadecimal digits, enough that two lists never share one by accident.
    var text: String { Hexadecimal.text(place.digest.prefix(10)) }
}
