import Campaigns
import Foundation
import Operations

/// The archive of a bundle: a folder that only its owner reads, packed by the system's tar.
enum BundleArchive {
    private static let tar = "/usr/bin/tar"
    /// The folder in the archive.
    private static let folder = "fanfare-bundle"

    /// Writes the archive; at the path there is the whole of it, or what was there before.
    static func write(_ bundle: SupportBundle, to path: String) async throws {
        let manager = FileManager.default
        let place = manager.temporaryDirectory.appendingPathComponent("fanfare-bundle-\(UUID().uuidString)")
        let owners = [FileAttributeKey.posixPermissions: 0o700]
        let partial = path + ".partial"
        do {
            try manager.createDirectory(at: place, withIntermediateDirectories: false, attributes: owners)
            defer { try? manager.removeItem(at: place) }
            for file in bundle.all {
                let url = place.appendingPathComponent("\(folder)/\(file.name)")
                try manager.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(file.bytes).write(to: url)
            }
            guard
                manager.createFile(atPath: partial, contents: nil, attributes: [.posixPermissions: 0o600])
            else { throw CommandFailure(.failed, "\(partial) cannot be written") }
            let arguments = ["--create", "--gzip", "--owner=0", "--group=0", "--file", partial]
            let (status, _) = try await HostProgram.run(tar, arguments + ["--directory", place.path, folder])
            guard status == 0 else { throw CommandFailure(.failed, "\(tar) ended with \(status)") }
            guard rename(partial, path) == 0 else {
                throw CommandFailure(.failed, "\(path): \(String(cString: strerror(errno)))")
            }
        } catch {
            try? manager.removeItem(atPath: partial)
            throw error as? CommandFailure ?? CommandFailure(.failed, "\(path) cannot be written: \(error)")
        }
    }
}
