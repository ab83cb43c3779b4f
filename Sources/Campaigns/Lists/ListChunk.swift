/// Up to 500 devices of one provider, environment, locale and time zone, in a form ready to be copied into a shard.
public struct ListChunk: Equatable, Sendable {
    /// The number of the chunk in its list, from 0.
    public var ordinal: UInt32
    /// The index of its first device in the list.
    public var firstIndex: UInt32
    /// The properties that its devices share.
    public var group: Group
    /// The devices, with their variables.
    public var devices: DeviceBatch
    /// The producer's ids of the devices.
    public var deviceIDs: DeviceIDs
    /// The positions of devices whose users have opted out of alerts: nothing is sent to them.
    public var optedOut: [Int] = []
    /// The positions of devices whose tokens a provider once rejected.
    public var suspects: [Int] = []

    /// The properties that the devices of a chunk share.
    ///
    /// A group is looked up for each device, so it has its hash from the beginning.
    public struct Group: Hashable, Sendable {
        /// The hash of the properties; first, because groups that differ mostly differ here.
        private let digest: UInt64
        /// The provider.
        public let provider: ProviderName
        /// The provider's environment; nil means the app's own.
        public let environment: PushEnvironment?
        /// A BCP 47 tag.
        public let locale: String?
        /// An IANA name.
        public let timeZone: String?

        /// Creates a group.
        public init(provider: ProviderName, environment: PushEnvironment?, locale: String?, timeZone: String?) {
            self.provider = provider
            self.environment = environment
            self.locale = locale
            self.timeZone = timeZone
            var hash = FNV1a(provider.rawValue.utf8)
            func take(_ text: String?) {
                hash.take(text == nil ? 0 : 1)
                for byte in (text ?? "").utf8 { hash.take(byte) }
            }
            take(environment?.rawValue)
            take(locale)
            take(timeZone)
            digest = hash.bits
        }

        /// Adds the digest, which is of all properties.
        ///
        /// Phones could make it alike for groups that differ; at most as many are compared as are under construction.
        public func hash(into hasher: inout Hasher) { hasher.combine(digest) }
    }
}

/// Splits a stream of devices into chunks with bounded memory: at most `openGroupsMax` chunks are under construction.
public struct ListBuilder: Sendable {
    /// The maximum number of chunks under construction; for a further group the fullest one is closed.
    public static let openGroupsMax = 256

    private var open: [ListChunk.Group: ListChunk] = [:]
    private var chunkCount: UInt32 = 0
    /// The number of devices in finished chunks.
    public private(set) var deviceCount: UInt32 = 0

    /// The number of chunks under construction.
    public var openCount: Int { open.count }
    /// The number of devices in them.
    public var openDeviceCount: Int { open.values.reduce(0) { $0 + $1.devices.count } }

    /// Creates an empty builder that continues after chunks and devices that are already written.
    public init(chunksBefore: Int = 0, devicesBefore: Int = 0) {
        (chunkCount, deviceCount) = (UInt32(chunksBefore), UInt32(devicesBefore))
    }

    /// Adds a device (`token` as raw bytes); returns the chunk that it fills, or that is closed to make room, if any.
    public mutating func add(_ device: Device, token: [UInt8]) -> ListChunk? {
        let group = ListChunk.Group(
            provider: device.provider,
            environment: device.environment,
            locale: device.locale,
            timeZone: device.timeZone
        )
        return token.withUnsafeBytes { token in
            guard var id = device.id else { return add(group, token: token, id: nil, variables: device.variables) }
            return id.withUTF8 { id in
                add(group, token: token, id: UnsafeRawBufferPointer(id), variables: device.variables)
            }
        }
    }

    /// Adds a device of a group, with its id as UTF-8; returns the chunk that it fills, or that is closed to make room,
    /// if any.
    public mutating func add(
        _ group: ListChunk.Group,
        token: UnsafeRawBufferPointer,
        id: UnsafeRawBufferPointer?,
        variables: [String: String],
        isOptedOut: Bool = false,
        isSuspect: Bool = false
    ) -> ListChunk? {
        var closed: ListChunk?
        // The chunk is changed in place: to take it out and put it back would hash the group three times.
        if let index = open.index(forKey: group) {
            if open.values[index].hasRoom(for: variables, token: token.count) {
                open.values[index].append(token, id, variables, isOptedOut: isOptedOut, isSuspect: isSuspect)
                return open.values[index].devices.count >= Shard.devicesMax ? close(group) : nil
            }
            closed = close(group)
        } else if open.count >= Self.openGroupsMax {
            closed = closeFullest()
        }
        var chunk = ListChunk(ordinal: 0, firstIndex: 0, group: group, devices: DeviceBatch(), deviceIDs: DeviceIDs())
        chunk.append(token, id, variables, isOptedOut: isOptedOut, isSuspect: isSuspect)
        open[group] = chunk
        return closed
    }

    /// Returns the chunks under construction, in a fixed order; the builder is empty afterwards.
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
    /// Returns true if a device fits into the limits of a shard.
    fileprivate func hasRoom(for named: [String: String], token length: Int) -> Bool {
        let needed = named.reduce(length + 2) { sum, variable in
            // A new name in the chunk adds a column with a length for every device.
            sum + variable.key.utf8.count + variable.value.utf8.count + 2 * (devices.count + 1)
        }
        let columns = 2 * devices.variables.count
        return devices.count < Shard.devicesMax && devices.byteCount + needed + columns <= Shard.bytesMax
    }

    fileprivate mutating func append(
        _ token: UnsafeRawBufferPointer,
        _ id: UnsafeRawBufferPointer?,
        _ variables: [String: String],
        isOptedOut: Bool,
        isSuspect: Bool
    ) {
        devices.append(token: token, variables: variables)
        deviceIDs.append(id)
        if isOptedOut { optedOut.append(devices.count - 1) }
        if isSuspect { suspects.append(devices.count - 1) }
    }
}

extension ListChunk.Group {
    fileprivate var sortKey: [String] {
        [provider.rawValue, environment?.rawValue ?? "", locale ?? "", timeZone ?? ""]
    }
}
