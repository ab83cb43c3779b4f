package import Campaigns
import Delivery
package import Store
import TLS

/// An upload whose file comes in parts, each kept by the ledger: a client that was cut sends only what is missing.
///
/// Any process on the ledger may take a part. Neither the file nor its devices are ever all in memory.
package struct PartedUpload: Sendable {
    private let app: String
    private let list: String
    private let id: String
    private let ledger: Ledger

    /// Names an upload of a list.
    package init(app: String, list: String, id: String, in ledger: Ledger) {
        (self.app, self.list, self.id, self.ledger) = (app, list, id, ledger)
    }

    /// Begins the upload, or finds what the ledger has of it.
    package func begin(_ format: AudienceFileFormat) async throws -> UploadRecord {
        let (app, list, id, ledger) = (app, list, id, ledger)
        let record = try await ledger.write(.synced) {
            try $0.beginUpload(id, app: app, name: list, start: ListVersion.start, format: format, now: ledger.now())
        }
        guard record.name == list else { throw UploadProblem.otherList(id: id, name: record.name) }
        guard record.parts?.format == format else { throw UploadProblem.otherForm(id: id) }
        return record
    }

    /// Returns the state of the upload.
    package func record() async throws -> UploadRecord {
        let (app, id) = (app, id)
        let found = try await ledger.read { try $0.upload(id, app: app) }
        guard let found, found.name == list, found.standing != .gone else { throw UploadProblem.unknown(id: id) }
        return found
    }

    /// Takes a part, synced; the same part again changes nothing.
    ///
    /// Returns false for one that was there. `digest` is the hash that the client has computed, as 64 hexadecimal
    /// digits.
    package func take(_ number: Int, _ bytes: [UInt8], digest: String) async throws -> Bool {
        let hash = SHA256.digest(bytes)
        guard Hexadecimal.text(hash) == digest.lowercased() else { throw UploadProblem.damaged(part: number) }
        _ = try await record()
        let (app, id, ledger) = (app, id, ledger)
        let decision = try await ledger.write(.synced) {
            try $0.putPart(number, of: id, app: app, digest: hash, bytes: bytes, now: ledger.now())
        }
        switch decision {
        case .take: return true
        case .again: return false
        case .differs: throw UploadProblem.otherPart(id: id, part: number)
        case .tooEarly(let next): throw UploadProblem.tooEarly(part: number, next: next)
        case .tooMany: throw UploadProblem.tooMany
        case nil: throw UploadProblem.otherForm(id: id)
        }
    }

    /// Makes the list of the parts; after a cut it goes on with the chunks that the ledger does not have.
    ///
    /// A file that cannot be used is refused, and the upload abandoned.
    package func complete() async throws -> AudienceFile.Result {
        let record = try await record()
        guard let parts = record.parts else { throw UploadProblem.otherForm(id: id) }
        if record.standing == .complete { return try await completed(record) }
        let stream = try AudienceStream(parts.format, app: app, list: list, id: id, to: ledger)
        _ = try await stream.begin()
        for number in 0..<parts.count where !stream.isUnusable {
            // An upload that is abandoned meanwhile loses its parts.
            guard let bytes = try await ledger.read({ try $0.part(number, of: record) }) else {
                throw UploadProblem.taken(id: id)
            }
            try await stream.take(bytes)
        }
        return try await stream.finish()
    }

    /// Abandons the upload: jobs that wait for it fail.
    package func abandon() async throws {
        let record = try await record()
        let (app, id, ledger) = (app, id, ledger)
        let isAbandoned = try await ledger.write(.synced) { try $0.abandonUpload(id, app: app, now: ledger.now()) }
        guard isAbandoned || record.standing == .underWay else { throw UploadProblem.complete(id: id) }
    }

    private func completed(_ record: UploadRecord) async throws -> AudienceFile.Result {
        guard let list = try await ledger.read({ try $0.list(number: record.list) }) else {
            throw UploadProblem.unknown(id: id)
        }
        return .uploaded(
            ListUpload.Summary(
                version: list.version,
                devices: list.devices,
                duplicates: list.duplicates,
                isKnown: true
            ),
            warnings: []
        )
    }
}

extension UploadRecord {
    /// The state of an upload, as the HTTP API shows it.
    package func json(app: String) -> JSONValue {
        .object([
            "app": .string(app), "name": .string(name), "upload": .string(id),
            "state": .string(standing == .complete ? "complete" : "under_way"),
            "format": parts.map { .string($0.format.rawValue) },
            "parts": parts.map { .number(JSONNumber($0.count)) },
            "bytes": parts.map { .number(JSONNumber(Int($0.bytes))) },
            "part_bytes_max": parts == nil ? nil : .number(JSONNumber(UploadParts.bytesMax)),
        ])
    }
}
