import Foundation

/// Reads a ZIP archive (PKWARE's APPNOTE 6.3.10): stored and deflated files, bounded in number and size.
///
/// Everything is checked before anything is written; an irregular archive is refused, not repaired.
struct ZIPArchive {
    /// The most files and folders.
    static let filesMax = 1000
    /// The most bytes of all unpacked files together.
    static let bytesMax = 50 * 1024 * 1024

    /// A file or folder.
    struct Entry: Equatable {
        /// The folders and the name; none of them leads outside.
        let path: [String]
        let isFolder: Bool
        fileprivate let isDeflated: Bool
        fileprivate let checksum: UInt32
        let size: Int
        fileprivate let header: Int
        fileprivate let packed: Range<Int>
    }

    private let bytes: [UInt8]
    let entries: [Entry]

    /// Reads the directory; throws the reason why the archive is refused.
    init(_ data: Data) throws(ZIPProblem) {
        bytes = Array(data)
        entries = try ZIPDirectory(bytes).entries()
    }

    /// Returns the bytes of a file, verified by its checksum.
    func contents(_ entry: Entry) throws(ZIPProblem) -> [UInt8] {
        let name = entry.path.joined(separator: "/")
        let found: [UInt8]
        if entry.isDeflated {
            do { found = try Inflate.decode(bytes[entry.packed], size: entry.size) } catch { throw .damaged(name) }
        } else {
            found = Array(bytes[entry.packed])
        }
        guard found.count == entry.size, Checksum.crc32(found) == entry.checksum else { throw .damaged(name) }
        return found
    }

    /// Writes everything below a folder, which it creates; throws a `ZIPProblem` or a file-system error.
    func unpack(to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for entry in entries {
            let target = entry.path.reduce(folder) { $0.appendingPathComponent($1) }
            let parent = entry.isFolder ? target : target.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            if !entry.isFolder { try Data(contents(entry)).write(to: target) }
        }
    }
}

/// The directory at an archive's end.
private struct ZIPDirectory {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    private func short(_ offset: Int) -> Int { Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 }

    private func long(_ offset: Int) -> UInt32 { UInt32(short(offset)) | UInt32(short(offset + 2)) << 16 }

    /// Reads a number of bytes in a small archive; all ones mean that ZIP64 has the number elsewhere.
    private func length(_ offset: Int) throws(ZIPProblem) -> Int {
        let value = long(offset)
        if value == .max { throw .zip64 }
        guard value < 1 << 30 else { throw .tooLarge }
        return Int(value)
    }

    private func has(_ mark: UInt32, at offset: Int) -> Bool {
        offset >= 0 && offset + 4 <= bytes.count && long(offset) == mark
    }

    func entries() throws(ZIPProblem) -> [ZIPArchive.Entry] {
        let end = try end()
        if has(0x0706_4B50, at: end - 20) { throw .zip64 }
        let (count, size, start) = (short(end + 10), try length(end + 12), try length(end + 16))
        if count == 0xFFFF { throw .zip64 }
        guard short(end + 4) == 0, short(end + 6) == 0, short(end + 8) == count else { throw .severalDisks }
        guard count <= ZIPArchive.filesMax else { throw .tooManyFiles }
        guard start + size == end else { throw .damaged("the directory") }
        var offset = start
        var entries: [ZIPArchive.Entry] = []
        var (total, names): (Int, Set<String>) = (0, [])
        for _ in 0..<count {
            let entry = try entry(&offset, before: end, files: start)
            total += entry.size
            guard total <= ZIPArchive.bytesMax else { throw .tooLarge }
            let name = entry.path.joined(separator: "/")
            // Some file systems are not case-sensitive.
            guard names.insert(name.lowercased()).inserted else { throw .twice(name) }
            entries.append(entry)
        }
        guard offset == end else { throw .damaged("the directory") }
        try judgeOverlaps(entries)
        return entries
    }

    /// Refuses files that share bytes, by which a small archive becomes a huge one.
    private func judgeOverlaps(_ entries: [ZIPArchive.Entry]) throws(ZIPProblem) {
        var free = 0
        for entry in entries.sorted(by: { $0.header < $1.header }) {
            guard entry.header >= free else { throw .damaged(entry.path.joined(separator: "/")) }
            free = entry.packed.upperBound
        }
    }

    /// Finds the start of the end record; a comment may follow it.
    private func end() throws(ZIPProblem) -> Int {
        guard has(0x0403_4B50, at: 0) || has(0x0605_4B50, at: 0) else { throw .notAnArchive }
        guard bytes.count >= 22 else { throw .truncated }
        for offset in stride(from: bytes.count - 22, through: max(0, bytes.count - 22 - 0xFFFF), by: -1)
        where has(0x0605_4B50, at: offset) && offset + 22 + short(offset + 20) == bytes.count {
            return offset
        }
        throw .truncated
    }

    /// Reads the entry at a position of the directory, and moves the position behind it.
    private func entry(_ offset: inout Int, before end: Int, files: Int) throws(ZIPProblem) -> ZIPArchive.Entry {
        let here = offset
        guard here + 46 <= end, has(0x0201_4B50, at: here) else { throw .damaged("the directory") }
        let (nameCount, extraCount) = (short(here + 28), short(here + 30))
        offset = here + 46 + nameCount + extraCount + short(here + 32)
        guard offset <= end else { throw .damaged("the directory") }
        let raw = bytes[here + 46..<here + 46 + nameCount]
        let (path, isFolder) = try ZIPName.path(raw)
        let name = path.joined(separator: "/")
        let (packed, size, header) = (try length(here + 20), try length(here + 24), try length(here + 42))
        // Bits 0, 6 and 13: encrypted, strongly encrypted, encrypted directory.
        guard short(here + 8) & 0x2041 == 0 else { throw .encrypted }
        guard short(here + 34) == 0 else { throw .severalDisks }
        let method = short(here + 10)
        guard method == 0 || method == 8 else { throw .method(method) }
        // The upper four bits of the Unix mode: 8 is a file, 4 a folder, 10 a link.
        let kind = bytes[here + 5] == 3 ? long(here + 38) >> 28 : 0
        guard kind == 0 || kind == (isFolder ? 4 : 8) else { throw .notAFile(name) }
        guard method == 8 || packed == size, !isFolder || size == 0 else { throw .damaged(name) }
        // Deflate expands a byte to 1,032 at most.
        guard size / 1032 <= packed else { throw .damaged(name) }
        let data = try data(header, name: raw, packed: packed, before: files, called: name)
        return ZIPArchive.Entry(
            path: path,
            isFolder: isFolder,
            isDeflated: method == 8,
            checksum: long(here + 16),
            size: size,
            header: header,
            packed: data
        )
    }

    /// Finds a file's bytes, behind its own header, whose name must match the directory's.
    private func data(
        _ header: Int,
        name: ArraySlice<UInt8>,
        packed: Int,
        before files: Int,
        called path: String
    ) throws(ZIPProblem) -> Range<Int> {
        guard header + 30 <= files, has(0x0403_4B50, at: header) else { throw .damaged(path) }
        let nameStart = header + 30
        let start = nameStart + short(header + 26) + short(header + 28)
        guard start + packed <= files, short(header + 26) == name.count,
            bytes[nameStart..<nameStart + name.count].elementsEqual(name)
        else { throw .damaged(path) }
        return start..<start + packed
    }
}

/// Names of files in archives.
private enum ZIPName {
    /// Splits a name into folders and file name; throws for a name that could lie outside.
    static func path(_ bytes: ArraySlice<UInt8>) throws(ZIPProblem) -> (path: [String], isFolder: Bool) {
        guard let text = String(bytes: bytes, encoding: .utf8) else {
            throw .name(String(decoding: bytes, as: UTF8.self))
        }
        let isFolder = text.hasSuffix("/")
        let parts = (isFolder ? text.dropLast() : text[...]).split(separator: "/", omittingEmptySubsequences: false)
        let isSound = !parts.isEmpty && parts.count <= 16 && parts.allSatisfy(isSound)
        guard isSound else { throw .name(text) }
        return (parts.map(String.init), isFolder)
    }

    private static func isSound(_ part: Substring) -> Bool {
        guard !part.isEmpty, part != ".", part != "..", part.utf8.count <= 255 else { return false }
        return part.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: ":") }
    }
}

/// CRC-32 as ZIP has it (polynomial 0xEDB88320).
private enum Checksum {
    private static let table: [UInt32] = (0..<256).map { index in
        var value = UInt32(index)
        for _ in 0..<8 { value = value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
        return value
    }

    static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var value = UInt32.max
        for byte in bytes { value = table[Int((value ^ UInt32(byte)) & 0xFF)] ^ (value >> 8) }
        return ~value
    }
}
