package import Campaigns
import Glibc
package import Store

/// Walks over the devices of an audience without the excluded ones, page by page, in constant memory.
///
/// The frozen audience and the count use the same walk. Confined to one task.
package final class AudienceWalk {
    /// A device of the audience; its bytes are valid only within the call that receives it.
    package struct Member {
        /// The properties that it shares with others of a chunk.
        package var group: ListChunk.Group
        /// The token's bytes.
        package var token: UnsafeRawBufferPointer
        /// The installation's id as UTF-8; nil when it is not registered.
        package var id: UnsafeRawBufferPointer?
        /// The variables of the device; empty when they are not asked for.
        package var variables: [String: String]
        /// True if its token was called wrong once.
        package var isSuspect: Bool
        /// True if its user has denied alerts.
        package var isDenied: Bool
    }

    /// The source of the devices.
    package enum Source {
        /// The registry; nil: every device.
        case registry(TrackedSegment?)
        case users([String])
        /// The registry's devices that follow a Live Activity, by their tokens for it.
        case activity(ActivityName)
        /// A list in the ledger, with the number of its chunks.
        case list(UInt32, chunks: Int)
        /// A list in memory.
        case chunks([StoredChunk])
    }

    private let app: String
    private let ledger: Ledger
    private let source: Source
    private let exclusion: Exclusion
    private let carriesVariables: Bool
    private let last: Int64
    /// The type of attributes whose start tokens take the place of the devices' own; nil if those are meant.
    private let starting: String?
    /// The way to the devices by index; nil for a walk over the whole registry.
    private var plan: IndexPlan?
    private var groups = GroupCache()
    /// The number of devices, users or chunks that were read.
    package private(set) var position: Int64
    /// True at the end of the audience.
    package private(set) var isOver = false
    /// The number of users without a live device; of a start, those without a token for it, users or devices.
    package private(set) var withoutToken = 0
    /// The rows of the registry that were read so far.
    package private(set) var rowsRead = RowsRead()
    /// The device numbers that the next page of the registry covers, or the devices of one that is read by index, 1 …
    /// `LedgerReader.registryPageSpan`.
    package var span = LedgerReader.registryPageSpan

    /// The number of users whose devices are read at once.
    private static let usersMax = 200

    /// Numbers of rows that a walk over the registry has read.
    package struct RowsRead: Sendable, Equatable {
        /// Rows of the index and marks of changed devices.
        package var index = 0
        /// Devices.
        package var devices = 0
    }

    /// Creates a walk from a position; `last` is the number of the registry's last device, 0 when it has none.
    ///
    /// `plan` finds the devices of the registry by index; nil walks it whole. `starting` is the type of attributes of
    /// the Live Activities that are started.
    package init(
        _ source: Source,
        app: String,
        exclusion: Exclusion,
        carriesVariables: Bool,
        from position: Int64,
        to last: Int64,
        by plan: IndexPlan? = nil,
        starting: String? = nil,
        in ledger: Ledger
    ) {
        self.plan = plan
        self.starting = starting
        self.app = app
        self.ledger = ledger
        // A user who is named twice counts once.
        if case .users(let users) = source {
            var seen: Set<String> = []
            self.source = .users(users.filter { seen.insert($0).inserted })
        } else {
            self.source = source
        }
        self.exclusion = exclusion
        self.carriesVariables = carriesVariables
        self.position = position
        self.last = last
    }

    /// About the number of devices that were not looked at yet: device numbers of the registry, or users.
    ///
    /// A list's chunks count as full.
    package var left: Int64 {
        switch source {
        case .registry, .activity: max(0, (last & 0xFFFF_FFFF) - position)
        case .users(let users): max(0, Int64(users.count) - position)
        case .list(_, let chunks): max(0, Int64(chunks) - position) * Int64(Shard.devicesMax)
        case .chunks(let chunks): max(0, Int64(chunks.count) - position) * Int64(Shard.devicesMax)
        }
    }

    /// Calls `body` for the devices of the next page.
    package func next(_ body: (Member) throws -> Void) async throws {
        switch source {
        case .registry(let segment): try await nextOfRegistry(segment, body)
        case .activity: try await nextOfRegistry(nil, body)
        case .users(let users): try await nextOfUsers(users, body)
        case .list(let list, _):
            let after = position - 1
            try await nextOfList(try await ledger.read { try $0.listChunks(list, after: after) }, body)
        case .chunks(let chunks): try await nextOfList(Array(chunks.dropFirst(Int(position))), body)
        }
    }

    // MARK: - The registry

    private func nextOfRegistry(_ segment: TrackedSegment?, _ body: (Member) throws -> Void) async throws {
        let base = last & ~0xFFFF_FFFF
        let (after, end) = (base + position, last)
        guard after < end else {
            isOver = true
            return
        }
        let (page, until) = try await page(of: segment, after: after, end: end)
        rowsRead.devices += page.count
        let exclusion = exclusion
        func isMeant(_ entry: RegistryPage.Entry) -> Bool {
            segment?.matches(entry.traits, number: entry.number) != false
                && !exclusion.leavesOut(entry.traits, user: entry.user, number: entry.number)
        }
        if exclusion.hasTokens || starting != nil {
            var meant: [Bool] = []
            meant.reserveCapacity(page.count)
            try page.forEach { meant.append(isMeant($0)) }
            if exclusion.hasTokens {
                try leaveOutTokens(&meant) { each in
                    try page.forEach { try each(groups.group($0.traits).provider, $0.token) }
                }
            }
            var (numbers, index): ([Int64], Int) = ([], 0)
            try page.forEach { entry in
                defer { index += 1 }
                if meant[index] { numbers.append(entry.number) }
            }
            let starts = try await startTokens(of: numbers)
            index = 0
            try page.forEach { entry in
                defer { index += 1 }
                guard meant[index] else { return }
                guard let starts else { return try body(member(entry)) }
                guard let start = starts[entry.number] else {
                    withoutToken += 1
                    return
                }
                try hand(out: start, of: member(entry), body)
            }
        } else {
            try page.forEach { if isMeant($0) { try body(member($0)) } }
        }
        position = (page.next ?? until) - base
        isOver = page.next == nil && until == end
    }

    /// Returns the tokens that start activities, of some devices; nil if the devices' own tokens are meant.
    private func startTokens(of devices: [Int64]) async throws -> [Int64: StartToken]? {
        guard let starting else { return nil }
        return try await ledger.read { try $0.startTokens(of: starting, devices: devices) }
    }

    /// Hands out a device with a start token in place of its own.
    private func hand(out start: StartToken, of member: Member, _ body: (Member) throws -> Void) throws {
        var member = member
        member.isSuspect = start.isSuspect
        try start.token.withUnsafeBytes { token in
            member.token = token
            try body(member)
        }
    }

    /// Reads the next page, by index as long as that answers, and the number up to which it goes at most.
    private func page(
        of segment: TrackedSegment?,
        after: Int64,
        end: Int64
    ) async throws -> (page: RegistryPage, until: Int64) {
        let limit = Int(span)
        if case .activity(let name) = source {
            return (
                try await ledger.read { try $0.followers(of: name, after: after, end: end, limit: limit) }, end
            )
        }
        if let plan, let segment {
            let found = try await ledger.read { reader in
                try reader.registryPage(by: plan, after: after, end: end, limit: limit) {
                    segment.answer($0, block: $1)
                }
            }
            if let found {
                rowsRead.index += found.indexRows
                return (found.page, end)
            }
            // A later version builds the index anew. What was read until now was right.
            self.plan = nil
        }
        let until = min(after + span, end)
        return (try await ledger.read { try $0.registryPage(after: after, end: until) }, until)
    }

    private func member(_ entry: RegistryPage.Entry) throws -> Member {
        Member(
            group: try groups.group(entry.traits),
            token: entry.token,
            id: entry.installation,
            variables: carriesVariables ? Self.variables(entry.traits.value) : [:],
            isSuspect: entry.isSuspect,
            isDenied: entry.traits.permission == .denied
        )
    }

    /// Returns the attributes, which are the variables of a registered device in templates.
    private static func variables(_ traits: DeviceTraits?) -> [String: String] {
        (traits?.attributes ?? [:]).mapValues(\.text)
    }

    // MARK: - Users

    private func nextOfUsers(_ users: [String], _ body: (Member) throws -> Void) async throws {
        let begin = Int(position)
        let end = min(begin + Self.usersMax, users.count)
        let (app, names) = (app, Array(users[begin..<end]))
        let found = try await ledger.read { reader in try names.map { try reader.devices(app: app, user: $0) } }
        let living = found.map { $0.filter { $0.state == .live && $0.token != nil } }
        let starts = try await startTokens(of: living.flatMap { $0.map(\.number) })
        for devices in living {
            let reached = devices.filter { starts?[$0.number] != nil || starts == nil }
            if reached.isEmpty { withoutToken += 1 }
            try hand(out: reached) { member, number in
                guard let start = starts?[number] else { return try body(member) }
                try hand(out: start, of: member, body)
            }
        }
        position = Int64(end)
        isOver = end == users.count
    }

    /// Hands out devices that are not left out, with their numbers.
    private func hand(out devices: [RegisteredDevice], _ body: (Member, Int64) throws -> Void) throws {
        var isMeant = devices.map { device in
            device.traits.packed().withUnsafeBytes { bytes in
                guard let traits = PackedTraits(bytes) else { return true }
                return !Array((device.user ?? "").utf8).withUnsafeBytes {
                    exclusion.leavesOut(traits, user: $0, number: device.number)
                }
            }
        }
        if exclusion.hasTokens {
            try leaveOutTokens(&isMeant) { each in
                for device in devices {
                    try (device.token ?? []).withUnsafeBytes { try each(device.traits.provider, $0) }
                }
            }
        }
        for (device, isMeant) in zip(devices, isMeant) where isMeant {
            let (traits, installation) = (device.traits, device.installation.map { Array($0.utf8) })
            try (device.token ?? []).withUnsafeBytes { token in
                try (installation ?? []).withUnsafeBytes { id in
                    try body(
                        Member(
                            group: ListChunk.Group(
                                provider: traits.provider,
                                environment: traits.environment,
                                locale: traits.locale,
                                timeZone: traits.timeZone
                            ),
                            token: token,
                            id: installation == nil ? nil : id,
                            variables: carriesVariables ? Self.variables(traits) : [:],
                            isSuspect: device.isSuspect,
                            isDenied: traits.permission == .denied
                        ),
                        device.number
                    )
                }
            }
        }
    }

    // MARK: - A list

    private func nextOfList(_ chunks: [StoredChunk], _ body: (Member) throws -> Void) async throws {
        guard let final = chunks.last else {
            isOver = true
            return
        }
        for chunk in chunks {
            let range = 0..<chunk.devices.count
            var isMeant = range.map { !chunk.optedOut.contains($0) }
            if exclusion.looksUp {
                let (app, exclusion) = (app, exclusion)
                let provider = chunk.group.provider
                let tokens = range.map { Array(chunk.devices.tokens[chunk.devices.tokenRange(at: $0)]) }
                let known = try await ledger.read { reader in
                    try tokens.map { try reader.device(app: app, provider: provider, token: $0) }
                }
                for (offset, device) in known.enumerated() where device.map(exclusion.leavesOut) == true {
                    isMeant[offset] = false
                }
            }
            try hand(out: chunk, &isMeant, body)
        }
        position = Int64(final.ordinal) + 1
    }

    private func hand(out chunk: StoredChunk, _ isMeant: inout [Bool], _ body: (Member) throws -> Void) throws {
        try chunk.devices.tokens.withUnsafeBytes { tokens in
            func token(_ offset: Int) -> UnsafeRawBufferPointer {
                UnsafeRawBufferPointer(rebasing: tokens[chunk.devices.tokenRange(at: offset)])
            }
            if exclusion.hasTokens {
                let offsets = isMeant.indices
                try leaveOutTokens(&isMeant) { each in
                    for offset in offsets { try each(chunk.group.provider, token(offset)) }
                }
            }
            let (ids, columns) = (chunk.deviceIDs.ranges, chunk.devices.variables.map { ($0.name, $0.values) })
            try chunk.deviceIDs.bytes.withUnsafeBytes { idBytes in
                for offset in isMeant.indices where isMeant[offset] {
                    var variables: [String: String] = [:]
                    for (name, values) in columns {
                        if let value = values[offset] { variables[name] = String(decoding: value, as: UTF8.self) }
                    }
                    let id = offset < ids.count ? ids[offset] : nil
                    try body(
                        Member(
                            group: chunk.group,
                            token: token(offset),
                            id: id.map { UnsafeRawBufferPointer(rebasing: idBytes[$0]) },
                            variables: variables,
                            isSuspect: false,
                            isDenied: false
                        )
                    )
                }
            }
        }
    }

    // MARK: - Exclusion

    /// Looks up the tokens of all devices of a page that are still included, at once.
    private func leaveOutTokens(
        _ isMeant: inout [Bool],
        _ tokens: ((ProviderName, UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        var asked: [(provider: ProviderName, token: [UInt8])] = []
        var index = 0
        let meant = isMeant
        try tokens { provider, token in
            defer { index += 1 }
            if meant[index] { asked.append((provider, Array(token))) }
        }
        var answers = try exclusion.leavesOut(tokens: asked).makeIterator()
        for offset in isMeant.indices where isMeant[offset] {
            if answers.next() == true { isMeant[offset] = false }
        }
    }
}

/// The groups of packed traits: devices that are alike share one value, made and hashed once.
private struct GroupCache {
    /// The limit, for registries in which hardly two devices are alike.
    private static let most = 4096

    private struct Entry {
        var bytes: [UInt8]
        var group: ListChunk.Group

        func has(_ other: UnsafeRawBufferPointer) -> Bool {
            guard bytes.count == other.count, let start = other.baseAddress else { return false }
            return memcmp(bytes, start, bytes.count) == 0
        }
    }

    private var entries: [Entry] = []
    /// The index of an entry by the hash of its bytes, which is seeded: phones choose the bytes.
    private var indexes: [Int: Int] = [:]
    /// The entry of the last device: neighbors are often alike.
    private var last: Int?

    mutating func group(_ traits: PackedTraits) throws -> ListChunk.Group {
        let bytes = traits.groupBytes
        if let last, entries[last].has(bytes) { return entries[last].group }
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        let hash = hasher.finalize()
        if let known = indexes[hash], entries[known].has(bytes) {
            last = known
            return entries[known].group
        }
        guard let group = traits.chunkGroup else {
            throw LedgerError.failed("a device of the registry has traits that this version cannot read")
        }
        if entries.count >= Self.most {
            entries.removeAll(keepingCapacity: true)
            indexes.removeAll(keepingCapacity: true)
        }
        indexes[hash] = entries.count
        last = entries.count
        entries.append(Entry(bytes: Array(bytes), group: group))
        return group
    }
}
