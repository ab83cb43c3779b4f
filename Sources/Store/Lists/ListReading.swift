public import Campaigns
import Delivery

/// A chunk of a finished list, as a walk over it reads it.
public struct StoredChunk: Sendable {
    /// Counts the list's chunks from 0.
    public var ordinal: UInt32
    /// What its devices have in common.
    public var group: ListChunk.Group
    /// The devices; variables included.
    public var devices: DeviceBatch
    /// The producer's names of the devices; empty when none was given.
    public var deviceIDs: [String?]
    /// Positions of devices that are never sent to, because they were forgotten.
    public var optedOut: Set<Int>

    /// The chunk as it will be stored.
    public init(_ chunk: ListChunk) {
        self.init(
            ordinal: chunk.ordinal,
            group: chunk.group,
            devices: chunk.devices,
            deviceIDs: chunk.deviceIDs,
            optedOut: Set(chunk.optedOut)
        )
    }

    init(ordinal: UInt32, group: ListChunk.Group, devices: DeviceBatch, deviceIDs: [String?], optedOut: Set<Int>) {
        self.ordinal = ordinal
        self.group = group
        self.devices = devices
        self.deviceIDs = deviceIDs
        self.optedOut = optedOut
    }
}

extension LedgerReader {
    /// The chunks of a list behind an ordinal (-1: from the first), some dozen a call; none behind the last.
    public func listChunks(_ list: UInt32, after ordinal: Int64, limit: Int = 20) throws(LedgerError) -> [StoredChunk] {
        let rows = try db.rows(
            """
            SELECT k.ordinal, k.provider, k.environment, k.locale, k.time_zone, coalesce(k.with_variables, k.bare),
                k.device_ids, d.opted_out
            FROM chunks k LEFT JOIN chunk_dead d ON d.list = k.list AND d.ordinal = k.ordinal
            WHERE k.list = ?1 AND k.ordinal > ?2 ORDER BY k.ordinal LIMIT ?3
            """,
            .int(list),
            .integer(ordinal),
            .int(limit)
        )
        var chunks: [StoredChunk] = []
        while try rows.next() {
            let devices: DeviceBatch
            do { devices = try DeviceBatch(encoded: rows.blob(5)) } catch {
                throw .failed("chunk \(rows.int64(0)) of list \(list): \(error)")
            }
            let optedOut = DeadBits(bytes: rows.blob(7))
            chunks.append(
                StoredChunk(
                    ordinal: rows.uint32(0),
                    group: ListChunk.Group(
                        provider: ProviderName(rawValue: rows.text(1)),
                        environment: rows.optionalText(2).flatMap { PushEnvironment(rawValue: $0) },
                        locale: rows.optionalText(3),
                        timeZone: rows.optionalText(4)
                    ),
                    devices: devices,
                    deviceIDs: DeviceIDs.decode(rows.blob(6)),
                    optedOut: Set((0..<devices.count).filter { optedOut[$0] })
                )
            )
        }
        return chunks
    }
}
