import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Pictures and files of in-app messages, fetched ahead so that showing one waits for nothing.
struct AssetStore: Sendable {
    /// Bytes of one asset.
    static let bytesMax = 10 * 1024 * 1024

    let folder: URL

    /// Fetches what is not there yet; false when one cannot be had.
    func load(_ urls: [URL]) async -> Bool {
        for url in urls where await !load(url) { return false }
        return true
    }

    /// Where an asset is, once it was fetched.
    func file(_ url: URL) -> URL {
        let name = url.absoluteString.utf8.reduce(into: UInt64(0xCBF2_9CE4_8422_2325)) { hash, byte in
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return folder.appendingPathComponent(String(name, radix: 16)).appendingPathExtension(url.pathExtension)
    }

    private func load(_ url: URL) async -> Bool {
        let file = file(url)
        guard !FileManager.default.fileExists(atPath: file.path) else { return true }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let (data, response) = try await URLSession.shared.data(from: url)
            guard (response as? HTTPURLResponse)?.statusCode == 200, data.count <= Self.bytesMax else { return false }
            try data.write(to: file, options: .atomic)
            return true
        } catch {
            return false
        }
    }
}
