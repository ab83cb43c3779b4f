package import Campaigns
import PushProviders
package import Store

/// A CSV or NDJSON file of devices on its way into the registry, read piece by piece.
///
/// Invalid lines are left out and reported, the others are registered. Confined to one task; reading blocks.
package final class RegistryImport {
    private static let pieceBytes = 262_144
    /// The most devices in one call of the registry.
    private static let batchMax = 500

    private let format: AudienceFileFormat
    private let input: InputFile

    /// The result of an import.
    package struct Summary: Sendable {
        /// The devices by result; empty without a ledger.
        package var results: [RegistrationResult: Int] = [:]
        /// The report on the lines and their problems.
        package var report = AudienceFileReport()
    }

    /// Opens a file, or standard input for `-`.
    package init(path: String, format: AudienceFileFormat) throws(InputFile.Unreadable) {
        input = try InputFile(path: path)
        self.format = format
    }

    /// Registers the file's devices.
    ///
    /// Without a ledger it writes nothing. Throws `InputFile.Unreadable` or `LedgerError`; then the devices before the
    /// error are registered, and the same file may be imported again.
    package func run(
        app: String,
        to ledger: Ledger?,
        progress: (AudienceFile.Progress) -> Void = { _ in }
    ) async throws -> Summary {
        var (reader, summary, bytes) = (
            DeviceFileReader(format, .registry, tokens: ProviderRegistry.tokens), Summary(), Int64(0)
        )
        while true {
            var devices: [DeviceRegistration] = []
            let piece = try input.read(upTo: Self.pieceBytes)
            if piece.isEmpty {
                reader.finish { registration, _ in devices.append(registration) }
            } else {
                reader.read(piece) { registration, _ in devices.append(registration) }
            }
            if let ledger { try await Self.register(devices, app: app, to: ledger, &summary) }
            bytes += Int64(piece.count)
            progress(AudienceFile.Progress(bytes: bytes, size: input.size, devices: reader.report.deviceCount))
            if piece.isEmpty || reader.report.isUnusable { break }
        }
        summary.report = reader.report
        return summary
    }

    private static func register(
        _ devices: [DeviceRegistration],
        app: String,
        to ledger: Ledger,
        _ summary: inout Summary
    ) async throws {
        for start in stride(from: 0, to: devices.count, by: batchMax) {
            let batch = Array(devices[start..<min(start + batchMax, devices.count)])
            for result in try await Registry.register(batch, app: app, in: ledger) {
                summary.results[result, default: 0] += 1
            }
        }
    }
}

/// The registry as commands and the edge use it.
package enum Registry {
    /// Registers devices of an app, piece by piece; returns the result for each.
    ///
    /// If it throws, the pieces before the error are registered, and all devices may be registered again.
    package static func register(
        _ devices: [DeviceRegistration],
        app: String,
        in ledger: Ledger
    ) async throws(LedgerError) -> [RegistrationResult] {
        let tokens = devices.map { ProviderRegistry.tokens.bytes(of: $0.device) }
        var results: [RegistrationResult] = []
        while results.count < devices.count {
            let (waiting, theirs) = (Array(devices[results.count...]), Array(tokens[results.count...]))
            results += try await ledger.write { transaction in
                var piece = Piece()
                return try transaction.register(waiting, tokens: theirs, app: app, &piece, now: ledger.now())
            }
        }
        return results
    }

    /// Returns the forms in which lists and the registry may hold a token of any provider; none for another text.
    package static func tokenBytes(_ text: String) -> [[UInt8]] { ProviderRegistry.tokens.readings(of: text) }

    /// Returns the device with a token in the producer's form; nil when no installation has it.
    package static func device(
        app: String,
        provider: ProviderName,
        token: String,
        in ledger: Ledger
    ) async throws(LedgerError) -> RegisteredDevice? {
        let bytes = ProviderRegistry.tokens.bytes(of: Device(token: token, provider: provider))
        return try await ledger.read { try $0.device(app: app, provider: provider, token: bytes) }
    }

    /// Forgets devices by their installations; returns those that existed, and the number of their entries in lists.
    ///
    /// The tombstones come first: no shard that is cut afterwards sends to these devices, whatever list it comes from.
    package static func forget(
        _ devices: [RegisteredDevice],
        app: String,
        in ledger: Ledger
    ) async throws(LedgerError) -> (forgotten: [String], entries: Int) {
        let numbers = devices.map(\.number)
        let ofActivities = try await ledger.read { reader in
            try numbers.flatMap { try reader.activities(of: $0).map(\.token) }
        }
        let forgotten = try await bury(devices.compactMap(\.installation), app: app, in: ledger)
        let tokens = Set(devices.compactMap(\.token) + ofActivities)
        guard !tokens.isEmpty else { return (forgotten, 0) }
        var (next, count): ((list: UInt32, ordinal: Int64)?, Int) = ((0, -1), 0)
        while let after = next {
            let page = try await ledger.read { try $0.entries(of: tokens, app: app, after: after) }
            if !page.found.isEmpty { try await ledger.write(.synced) { try $0.leaveOut(page.found) } }
            count += page.found.reduce(0) { $0 + $1.positions.count }
            next = page.next
        }
        return (forgotten, count)
    }

    /// The time after which a transaction ends its piece, so that other writers wait no longer than 50 ms.
    private static let pieceTime = Duration.milliseconds(40)

    /// Writes tombstones, piece by piece; returns the installations that existed.
    private static func bury(_ ids: [String], app: String, in ledger: Ledger) async throws(LedgerError) -> [String] {
        var (rest, forgotten): (ArraySlice<String>, [String]) = (ids[...], [])
        while !rest.isEmpty {
            let waiting = rest
            let (taken, buried) = try await ledger.write(.synced) { transaction -> (Int, [String]) in
                let began = ContinuousClock.now
                var buried: [String] = []
                for (index, id) in waiting.enumerated() {
                    if index > 0, ContinuousClock.now - began >= pieceTime { return (index, buried) }
                    if try transaction.forget(app: app, installation: id, now: ledger.now()) { buried.append(id) }
                }
                return (waiting.count, buried)
            }
            rest = rest.dropFirst(taken)
            forgotten += buried
        }
        return forgotten
    }

    /// Forgets the devices that registered with a key, some hundred at a time; returns their and their entries'
    /// number.
    ///
    /// `isDryRun`: only counts them. Devices that register with the key meanwhile are included, until none is left.
    package static func forget(
        cameWith key: Int64,
        app: String,
        in ledger: Ledger,
        isDryRun: Bool
    ) async throws(LedgerError) -> (devices: Int, entries: Int) {
        var (count, entries) = (0, 0)
        while true {
            let before = count
            guard let walk = try await ledger.read({ try $0.registryEnd(app: app) }) else { return (0, 0) }
            var next: Int64? = walk.start
            while let after = next {
                let page = try await ledger.read {
                    try $0.devices(app: app, cameWith: key, after: after, end: walk.end)
                }
                count += page.devices.count
                if !isDryRun, !page.devices.isEmpty {
                    entries += try await forget(page.devices, app: app, in: ledger).entries
                }
                next = page.next
            }
            if isDryRun || count == before { return (count, entries) }
        }
    }

    /// Returns everything that a device reported about campaigns, as a person may request it.
    package static func tracked(
        _ device: RegisteredDevice,
        in ledger: Ledger
    ) async throws(LedgerError) -> [JSONValue] {
        let number = device.number
        var facts: [TrackedFact] = []
        var next: TrackedFactCursor? = TrackedFactCursor()
        while let after = next {
            let page = try await ledger.read { try $0.trackedFacts(of: number, after: after) }
            facts += page.facts
            next = page.next
        }
        facts += try await ledger.read { try $0.pollFacts(of: number) }
        return facts.map { fact in
            .object([
                "campaign": fact.campaign.map(JSONValue.string) ?? .null,
                "surface": fact.step.map { .string($0.surface) }, "type": .string(fact.step?.type ?? "answers"),
                "detail": fact.detail.isEmpty ? nil : .string(fact.detail), "at": .string(fact.at.rfc3339),
            ])
        }
    }

    /// Calls `body` for every device of an app that existed at the beginning, page by page.
    package static func forEach(
        app: String,
        in ledger: Ledger,
        _ body: (RegisteredDevice) throws -> Void
    ) async throws {
        guard let walk = try await ledger.read({ try $0.registryEnd(app: app) }) else { return }
        var next: Int64? = walk.start
        while let after = next {
            let page = try await ledger.read { try $0.devices(app: app, after: after, end: walk.end) }
            for device in page.devices { try body(device) }
            next = page.next
        }
    }
}
