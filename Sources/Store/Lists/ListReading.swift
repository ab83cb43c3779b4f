public import Campaigns
import Delivery

/// A chunk of a finished list with its devices.
public struct StoredChunk: Sendable {
    /// The chunk's position in the list, from 0.
    public var ordinal: UInt32
    /// The properties that its devices share.
    public var group: ListChunk.Group
    /// The devices, including their variables.
    public var devices: DeviceBatch
    /// The producer's names of the devices.
    public var deviceIDs: DeviceIDs
    /// Positions of devices that are never sent to because they were forgotten.
    public var optedOut: Set<Int>

    /// A chunk that will be stored in this form.
    public init(_ chunk: ListChunk) {
        self.init(
            ordinal: chunk.ordinal,
            group: chunk.group,
            devices: chunk.devices,
            deviceIDs: chunk.deviceIDs,
            optedOut: Set(chunk.optedOut)
        )
    }

    init(ordinal: UInt32, group: ListChunk.Group, devices: DeviceBatch, deviceIDs: DeviceIDs, optedOut: Set<Int>) {
        self.ordinal = ordinal
        self.group = group
        self.devices = devices
        self.deviceIDs = deviceIDs
        self.optedOut = optedOut
    }
}

extension LedgerReader {
    /// The chunks of a list after an ordinal (-1 for the first), a few dozen per call; empty after the last.
    public func listChunks(_ list: UInt32, after ordinal: Int64, limit: Int = 20) throws(LedgerError) -> [StoredChunk] {
        let rows = try db.rows(
            """
            SELECT k.ordinal, k.provider, k.environment, k.locale, k.time_zone,
                coalesce(k.with_variables, k.bare) AS devices,
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
            do { devices = try DeviceBatch(encoded: rows.blob("devices")) } catch {
                throw .failed("chunk \(rows.int64("ordinal")) of list \(list): \(error)")
            }
            let optedOut = DeadBits(bytes: rows.blob("opted_out"))
            chunks.append(
                StoredChunk(
                    ordinal: rows.uint32("ordinal"),
                    group: ListChunk.Group(
                        provider: rows.provider("provider"),
                        environment: rows.value("environment"),
                        locale: rows.optionalText("locale"),
                        timeZone: rows.optionalText("time_zone")
                    ),
                    devices: devices,
                    deviceIDs: DeviceIDs(stored: rows.blob("device_ids")),
                    optedOut: Set((0..<devices.count).filter { optedOut[$0] })
                )
            )
        }
        return chunks
    }
}
