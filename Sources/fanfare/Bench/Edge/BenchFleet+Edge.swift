import Campaigns
import Fleet
import Foundation

/// What the edge's scenario needs of a fleet besides.
extension BenchFleet {
    /// An app's file of integration keys without any: its devices are registered already.
    func writeIntegrationKeys() throws -> String {
        let path = folder.path + "/integration.keys"
        guard FileManager.default.createFile(atPath: path, contents: Data("keys: []\n".utf8)) else {
            throw CommandFailure(.failed, "the file \(path) cannot be written")
        }
        return path
    }

    /// What message ids are signed with.
    func messageKeys() throws -> MessageKeys {
        guard let file = FileManager.default.contents(atPath: folder.messageKey) else {
            throw CommandFailure(.failed, "the file \(folder.messageKey) cannot be read")
        }
        return try MessageKeys(file: Array(file))
    }

    /// CPU of all workers so far, in seconds.
    var cpuSeconds: Double { workers.compactMap { ProcessMetrics.cpuSeconds(of: $0.process) }.reduce(0, +) }
}
