/// Up to 500 devices of one provider, environment, locale and time zone, in the form that a shard copies.
public struct ListChunk: Equatable, Sendable {
    /// Counts the list's chunks from 0.
    public var ordinal: UInt32
    /// The index in the list of the first device.
    public var firstIndex: UInt32
    /// What its devices have in common.
    public var group: Group
    /// The devices; variables included.
    public var devices: DeviceBatch
    /// The producer's names of the devices; empty when none was given.
    public var deviceIDs: [String?]
    /// Positions of devices whose people do not want to see anything: never sent to.
    public var optedOut: [Int] = []
    /// Positions of devices whose tokens were called wrong once.
    public var suspects: [Int] = []

    /// What the devices of a chunk have in common.
    public struct Group: Hashable, Sendable {
        /// Who delivers.
        public var provider: ProviderName
        /// The provider's world; nil is the app's own.
        public var environment: PushEnvironment?
        /// BCP 47 tag.
        public var locale: String?
        /// IANA name.
        public var timeZone: String?

        /// A group.
        public init(provider: ProviderName, environment: PushEnvironment?, locale: String?, timeZone: String?) {
            self.provider = provider
            self.environment = environment
            self.locale = locale
            self.timeZone = timeZone
        }
    }
}

/// Cuts a stream of devices into chunks with bounded memory: at most `openGroupsMax` chunks are under construction.
public struct ListBuilder: Sendable {
    /// Chunks under construction at most; the fullest is closed when another group comes.
    public static let openGroupsMax = 256

    private var open: [ListChunk.Group: ListChunk] = [:]
    private var chunkCount: UInt32 = 0
    /// Devices in the chunks that were handed out.
    public private(set) var deviceCount: UInt32 = 0

    /// No device yet, behind so many chunks and devices that were written before.
    public init(chunksBefore: Int = 0, devicesBefore: Int = 0) {
        (chunkCount, deviceCount) = (UInt32(chunksBefore), UInt32(devicesBefore))
    }

    /// Takes a device (`token` as raw bytes) and returns the chunk that this fills or makes room, if any.
    public mutating func add(_ device: Device, token: [UInt8]) -> ListChunk? {
        let group = ListChunk.Group(
            provider: device.provider,
            environment: device.environment,
            locale: device.locale,
            timeZone: device.timeZone
        )
        return token.withUnsafeBytes { add(group, token: $0, id: device.id, variables: device.variables) }
    }

    /// Takes a device of a group and returns the chunk that this fills or makes room, if any.
    public mutating func add(
        _ group: ListChunk.Group,
        token: UnsafeRawBufferPointer,
        id: String?,
        variables: [String: String],
        isOptedOut: Bool = false,
        isSuspect: Bool = false
    ) -> ListChunk? {
        var closed: ListChunk?
        // In place: a chunk that is taken out and put back is hashed three times.
        if let index = open.index(forKey: group) {
            if open.values[index].hasRoom(for: variables, token: token.count) {
                open.values[index].append(token, id, variables, isOptedOut: isOptedOut, isSuspect: isSuspect)
                return open.values[index].devices.count >= Shard.devicesMax ? close(group) : nil
            }
            closed = close(group)
        } else if open.count >= Self.openGroupsMax {
            closed = closeFullest()
        }
        var chunk = ListChunk(ordinal: 0, firstIndex: 0, group: group, devices: DeviceBatch(), deviceIDs: [])
        chunk.append(token, id, variables, isOptedOut: isOptedOut, isSuspect: isSuspect)
        open[group] = chunk
        return closed
    }

    /// The chunks still under construction, in a fixed order; the builder is empty afterwards.
    public mutating func finish() -> [ListChunk] {
        let groups = open.keys.sorted { $0.sortKey.lexicographicallyPrecedes($1.sortKey) }
        return groups.compactMap { close($0) }
    }

    private mutating func closeFullest() -> ListChunk? {
        let fullest = open.max { left, right in
            let (a, b) = (left.value.devices.count, right.value.devices.count)
            return a != b ? a < b : left.key.sortKey.lexicographicallyPrecedes(right.key.sortKey)
        }
        return fullest.flatMap { close($0.key) }
    }

    private mutating func close(_ group: ListChunk.Group) -> ListChunk? {
        guard var chunk = open.removeValue(forKey: group) else { return nil }
        chunk.ordinal = chunkCount
        chunk.firstIndex = deviceCount
        chunkCount += 1
        deviceCount += UInt32(chunk.devices.count)
        return chunk
    }
}

extension ListChunk {
    /// Whether a device fits without the chunk's growing over what a shard may have.
    fileprivate func hasRoom(for named: [String: String], token length: Int) -> Bool {
        let needed = named.reduce(length + 2) { sum, variable in
            // A name that is new to the chunk brings a column with a length for every device.
            sum + variable.key.utf8.count + variable.value.utf8.count + 2 * (devices.count + 1)
        }
        let columns = 2 * devices.variables.count
        return devices.count < Shard.devicesMax && devices.byteCount + needed + columns <= Shard.bytesMax
    }

    fileprivate mutating func append(
        _ token: UnsafeRawBufferPointer,
        _ id: String?,
        _ variables: [String: String],
        isOptedOut: Bool,
        isSuspect: Bool
    ) {
        if id != nil, deviceIDs.isEmpty { deviceIDs = Array(repeating: nil, count: devices.count) }
        let hasIDs = id != nil || !deviceIDs.isEmpty
        devices.append(token: token, variables: variables)
        if hasIDs { deviceIDs.append(id) }
        if isOptedOut { optedOut.append(devices.count - 1) }
        if isSuspect { suspects.append(devices.count - 1) }
    }
}

extension ListChunk.Group {
    fileprivate var sortKey: [String] {
        [provider.rawValue, environment?.rawValue ?? "", locale ?? "", timeZone ?? ""]
    }
}
