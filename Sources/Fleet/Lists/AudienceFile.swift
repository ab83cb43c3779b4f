public import Campaigns
import PushProviders
public import Store

/// A CSV or NDJSON file of devices (contract, section 3), read piece by piece.
///
/// Confined to one task; reading blocks.
public final class AudienceFile {
    private static let pieceBytes = 262_144

    /// The file's name for people.
    public let name: String
    /// The file's bytes; nil for a pipe.
    public let size: Int64?
    private let format: AudienceFileFormat
    private let input: InputFile

    /// What became of a file.
    public enum Result: Sendable {
        /// Every line is a device.
        case uploaded(ListUpload.Summary, warnings: [AudienceFileProblem])
        /// Some lines are none: nothing of the file was kept.
        case refused(AudienceFileReport)
    }

    /// How far an upload is.
    public struct Progress: Sendable {
        /// Bytes that were read.
        public var bytes: Int64
        /// Bytes in all; nil for a pipe.
        public var size: Int64?
        /// Devices so far.
        public var devices: Int
    }

    /// Opens a file, or standard input for `-`.
    public init(path: String, format: AudienceFileFormat) throws(InputFile.Unreadable) {
        input = try InputFile(path: path)
        name = input.name
        size = input.size
        self.format = format
    }

    /// Uploads the file as a version of a list; after the first bad line the rest is only checked.
    ///
    /// Without a ledger nothing is written. Throws `InputFile.Unreadable` or `LedgerError`; then nothing is kept.
    public func upload(
        app: String,
        list: String,
        to ledger: Ledger?,
        progress: (Progress) -> Void = { _ in }
    ) async throws -> Result {
        let stream = try AudienceStream(format, app: app, list: list, to: ledger)
        do {
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
            // What went wrong first is what a person has to mend.
            try? await stream.abandon()
            throw error
        }
    }

    /// The devices of a file, all of them in memory, with what is wrong with its lines.
    public static func devices(
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

    /// The first device of a file that a provider delivers to; nil when no good line has one.
    public static func firstDevice(
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
