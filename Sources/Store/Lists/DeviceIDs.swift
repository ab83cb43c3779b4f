/// The producer's names of a chunk's devices as bytes: two for the length (0xFFFF for none), then UTF-8.
enum DeviceIDs {
    static func encode(_ ids: [String?]) -> [UInt8]? {
        guard ids.contains(where: { $0 != nil }) else { return nil }
        var bytes: [UInt8] = []
        for id in ids {
            let text = id.map { Array($0.utf8.prefix(0xFFFE)) }
            let length = text.map { UInt16($0.count) } ?? 0xFFFF
            bytes.append(UInt8(truncatingIfNeeded: length))
            bytes.append(UInt8(truncatingIfNeeded: length >> 8))
            if let text { bytes.append(contentsOf: text) }
        }
        return bytes
    }

    static func decode(_ bytes: [UInt8]) -> [String?] {
        var ids: [String?] = []
        var index = 0
        while index + 2 <= bytes.count {
            let length = Int(bytes[index]) | Int(bytes[index + 1]) << 8
            index += 2
            if length == 0xFFFF {
                ids.append(nil)
            } else {
                let end = min(index + length, bytes.count)
                ids.append(String(decoding: bytes[index..<end], as: UTF8.self))
                index = end
            }
        }
        return ids
    }
}
