package import Campaigns
import PushProviders
package import Store

/// A CSV or NDJSON file of devices (contract, section 3), read piece by piece.
///
/// Confined to one task; reading blocks.
package final class AudienceFile {
    private static let pieceBytes = 262_144

    /// The file's name for people.
    package let name: String
    /// The file's size in bytes; nil for a pipe.
    package let size: Int64?
    private let format: AudienceFileFormat
    private let input: InputFile

    /// The result of an upload.
    package enum Result: Sendable {
        /// Every line was a device.
        case uploaded(ListUpload.Summary, warnings: [AudienceFileProblem])
        /// Some lines were not devices: nothing of the file was kept.
        case refused(AudienceFileReport)
    }

    /// The progress of an upload.
    package struct Progress: Sendable {
        /// Bytes that were read.
        package var bytes: Int64
        /// The file's size in bytes; nil for a pipe.
        package var size: Int64?
        /// The devices so far.
        package var devices: Int
    }

    /// Opens a file, or standard input for `-`.
    package init(path: String, format: AudienceFileFormat) throws(InputFile.Unreadable) {
        input = try InputFile(path: path)
        name = input.name
        size = input.size
        self.format = format
    }

    /// Uploads the file as a version of a list; after the first bad line the rest is only checked.
    ///
    /// Without a ledger it writes nothing. Throws `InputFile.Unreadable`, `LedgerError` or `UploadProblem`; then
    /// nothing is kept, except of an upload that has an id. `begun` gets the number of chunks that the ledger has of
    /// that.
    package func upload(
        app: String,
        list: String,
        id: String? = nil,
        to ledger: Ledger?,
        begun: (Int) -> Void = { _ in },
        progress: (Progress) -> Void = { _ in }
    ) async throws -> Result {
        let stream = try AudienceStream(format, app: app, list: list, id: id, to: ledger)
        do {
            begun(try await stream.begin())
            var bytes: Int64 = 0
            while !stream.isUnusable {
                let piece = try input.read(upTo: Self.pieceBytes)
                if piece.isEmpty { break }
                try await stream.take(piece)
                bytes += Int64(piece.count)
                progress(Progress(bytes: bytes, size: size, devices: stream.deviceCount))
            }
            return try await stream.finish()
        } catch {
            // The first error is the one that a person has to fix.
            try? await stream.abandon()
            throw error
        }
    }

    /// Returns the devices of a file, all in memory, with a report on its lines.
    package static func devices(
        path: String,
        format: AudienceFileFormat
    ) throws(InputFile.Unreadable) -> (devices: [Device], report: AudienceFileReport) {
        let input = try InputFile(path: path)
        var reader = AudienceFileReader(format, tokens: ProviderRegistry.tokens)
        var devices: [Device] = []
        while !reader.report.isUnusable {
            let piece = try input.read(upTo: pieceBytes)
            if piece.isEmpty { break }
            reader.read(piece) { device, _ in devices.append(device) }
        }
        reader.finish { device, _ in devices.append(device) }
        return (devices, reader.report)
    }

    /// Returns the first device of a file that belongs to a provider; nil when no good line has one.
    package static func firstDevice(
        of provider: ProviderName,
        path: String,
        format: AudienceFileFormat
    ) throws(InputFile.Unreadable) -> Device? {
        let input = try InputFile(path: path)
        var reader = AudienceFileReader(format, tokens: ProviderRegistry.tokens)
        var found: Device?
        while found == nil, !reader.report.isUnusable {
            let piece = try input.read(upTo: pieceBytes)
            if piece.isEmpty { break }
            reader.read(piece) { device, _ in if found == nil, device.provider == provider { found = device } }
        }
        reader.finish { device, _ in if found == nil, device.provider == provider { found = device } }
        return found
    }
}
