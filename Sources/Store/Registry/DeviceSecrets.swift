/// A device that has shown its secret at the edge.
public struct EdgeDevice: Sendable, Equatable {
    /// The number in the registry.
    public var number: Int64
    /// The app.
    public var app: String
    /// The id that identifies the device within its app, as in `/v1/devices/{id}`.
    public var installation: String
    /// The user's key; nil if nobody is logged in.
    public var user: String?
}

extension LedgerReader {
    /// The devices with some secrets, by the SHA-256 of each; unknown secrets are left out.
    ///
    /// One query serves them all, so that a burst of requests shares a read.
    public func devices(secretHashes hashes: [[UInt8]]) throws(LedgerError) -> [[UInt8]: EdgeDevice] {
        var devices: [[UInt8]: EdgeDevice] = [:]
        devices.reserveCapacity(hashes.count)
        for range in Placeholders.ranges(hashes.count) {
            let rows = try db.rows(
                """
                SELECT d.secret_hash, d.number, r.app, d.installation, d.user_key
                FROM devices d JOIN registry_apps r ON r.number = d.number >> 32
                WHERE d.secret_hash IN (\(Placeholders.list(range.count)))
                """,
                values: hashes[range].map { .blob($0) }
            )
            while try rows.next() {
                devices[rows.blob("secret_hash")] = EdgeDevice(
                    number: rows.int64("number"),
                    app: rows.text("app"),
                    installation: rows.text("installation"),
                    user: rows.optionalText("user_key")
                )
            }
        }
        return devices
    }
}
