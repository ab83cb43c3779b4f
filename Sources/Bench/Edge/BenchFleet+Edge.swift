import Campaigns
import Foundation
import Operations
import Settings

/// The additional parts of a fleet for the edge's scenario.
extension BenchFleet {
    /// Writes a file of integration keys without a key: the devices are registered already.
    func writeIntegrationKeys() throws -> String {
        let path = folder.path + "/integration.keys"
        guard FileManager.default.createFile(atPath: path, contents: Data("keys: []\n".utf8)) else {
            throw CommandFailure(.failed, "the file \(path) cannot be written")
        }
        return path
    }

    /// Returns the keys that sign message ids.
    func messageKeys() throws -> MessageKeys {
        guard let file = FileManager.default.contents(atPath: folder.messageKey) else {
            throw CommandFailure(.failed, "the file \(folder.messageKey) cannot be read")
        }
        return try MessageKeys(file: Array(file))
    }

    /// CPU of all workers so far, in seconds.
    var cpuSeconds: Double { workers.compactMap { ProcessMetrics.cpuSeconds(of: $0.process) }.reduce(0, +) }
}
