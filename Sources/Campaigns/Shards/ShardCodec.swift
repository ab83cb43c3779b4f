import FoundationEssentials
import SwiftProtobuf

extension Shard {
    /// Returns the message body; the same shard gives the same bytes.
    public func encoded() throws(ShardError) -> [UInt8] {
        try Shard.encode(self, devices: devices.encoded())
    }

    /// Returns the message body with encoded device columns: a planner copies a stored chunk this way.
    public static func encode(_ shard: Shard, devices: [UInt8]) throws(ShardError) -> [UInt8] {
        var message = Fanfare_V1_ShardMessage()
        message.version = shard.facts.personal.isEmpty ? plainVersion : version
        message.campaign = shard.id.key.campaign
        message.part = shard.id.key.part
        message.ordinal = shard.id.key.ordinal
        message.child = shard.id.key.child
        message.path = shard.id.path
        message.generation = shard.generation
        message.attempt = shard.attempt
        message.app = shard.facts.app
        message.campaignID = shard.facts.campaignID
        message.provider = shard.facts.provider.rawValue
        message.environment = shard.facts.environment?.rawValue ?? ""
        message.policy = shard.facts.policy
        message.pushType = shard.facts.pushType.rawValue
        message.priority = UInt32(shard.facts.priority)
        message.expiresAt = shard.facts.expiresAt.milliseconds
        message.collapseID = shard.facts.collapseID
        message.notBefore = shard.notBefore?.milliseconds ?? 0
        message.slotAt = shard.slot?.begins ?? 0
        message.slotLength = UInt64(shard.slot?.length ?? 0)
        message.payload = Data(shard.facts.payload)
        message.messageIDAt = shard.facts.messageIDAt ?? 0
        message.personal = Data(try shard.facts.personal.encoded())
        message.firstIndex = shard.firstIndex
        message.offsets = Data(LittleEndian16.bytes(shard.positions))
        message.devices = Data(devices)
        message.traceParent = shard.facts.traceParent
        return try ShardError.unwrap { try message.serializedBytes() as [UInt8] } + shard.laterFields
    }

    /// The highest attempt of a valid message: far above the contract's 100, far below overflow.
    private static let attemptsMax: UInt32 = 10_000

    /// Decodes a message body.
    ///
    /// Unknown fields are kept (`laterFields`); an unknown major version and contradictions are errors.
    public init(encoded bytes: [UInt8]) throws(ShardError) {
        let message = try ShardError.unwrap { try Fanfare_V1_ShardMessage(serializedBytes: bytes) }
        guard (Shard.plainVersion...Shard.version).contains(message.version) else {
            throw .unknownVersion(message.version)
        }
        let devices = try DeviceBatch(encoded: [UInt8](message.devices))
        let positions = try LittleEndian16.values([UInt8](message.offsets))
        guard devices.count > 0 else { throw .malformed("no device") }
        guard positions.isEmpty || positions.count == devices.count else {
            throw .malformed("\(positions.count) positions for \(devices.count) devices")
        }
        guard zip(positions, positions.dropFirst()).allSatisfy({ $0 < $1 }),
            positions.last ?? 0 < Shard.devicesMax
        else {
            throw .malformed("positions are not in order, or beyond a chunk's \(Shard.devicesMax) devices")
        }
        guard message.firstIndex <= UInt32.max - UInt32(Shard.devicesMax) else {
            throw .malformed("index out of range")
        }
        guard message.campaign > 0, message.attempt > 0, message.generation > 0 else {
            throw .malformed("campaign, attempt and generation count from 1")
        }
        guard message.attempt <= Shard.attemptsMax else { throw .malformed("attempt \(message.attempt)") }
        guard message.path.utf8.count <= ShardID.pathMax else { throw .malformed("path over \(ShardID.pathMax) bytes") }
        self.init(
            id: ShardID(
                key: ShardKey(
                    campaign: message.campaign,
                    part: message.part,
                    ordinal: message.ordinal,
                    child: message.child
                ),
                path: message.path
            ),
            generation: message.generation,
            attempt: message.attempt,
            facts: try Facts(message),
            notBefore: message.notBefore == 0 ? nil : try Facts.instant(message.notBefore),
            slot: try Slot(message),
            firstIndex: message.firstIndex,
            positions: positions,
            devices: devices
        )
        laterFields = [UInt8](message.unknownFields.data)
    }
}

extension Fanfare_V1_ShardMessage {
    fileprivate var policy: DeliveryPolicy {
        get {
            DeliveryPolicy(
                urgency: urgent ? .urgent : .bulk,
                dropIfOffline: dropIfOffline,
                maxAttempts: maxAttempts,
                dropUnknown: dropUnknown
            )
        }
        set {
            urgent = newValue.urgency == .urgent
            dropIfOffline = newValue.dropIfOffline
            maxAttempts = newValue.maxAttempts
            dropUnknown = newValue.dropUnknown
        }
    }
}

extension Slot {
    /// The longest slot; the lowest rate, one device per second, never exceeds it.
    private static let lengthMax: UInt64 = 3_600_000_000

    /// Returns nil if the message has no slot.
    fileprivate init?(_ message: Fanfare_V1_ShardMessage) throws(ShardError) {
        guard message.slotLength > 0 else { return nil }
        _ = try Shard.Facts.instant(message.slotAt / 1000)
        guard message.slotLength <= Self.lengthMax else { throw .malformed("slot of \(message.slotLength) µs") }
        self.init(begins: message.slotAt, length: Int64(message.slotLength))
    }
}

extension Shard.Facts {
    fileprivate init(_ message: Fanfare_V1_ShardMessage) throws(ShardError) {
        guard let pushType = PushType(rawValue: message.pushType) else { throw .malformed("unknown push type") }
        guard message.environment.utf8.count <= 255 else {
            throw .malformed("an environment of \(message.environment.utf8.count) bytes")
        }
        guard message.collapseID.utf8.count <= 64 else { throw .malformed("collapse id over 64 bytes") }
        guard let priority = UInt8(exactly: message.priority) else { throw .malformed("priority out of range") }
        guard !message.app.isEmpty, !message.provider.isEmpty else { throw .malformed("no app or no provider") }
        let messageIDAt = message.messageIDAt == 0 ? nil : message.messageIDAt
        guard MessageIDPlaceholder.isPossible(messageIDAt, inPayloadOf: message.payload.count) else {
            throw .malformed("a message id at \(message.messageIDAt) of \(message.payload.count) bytes")
        }
        let personal = try PersonalContent(encoded: [UInt8](message.personal))
        guard personal.fits(payloadOf: message.payload.count, messageIDAt: messageIDAt) else {
            throw .malformed("templates are not in order, or beyond the payload")
        }
        self.init(
            app: message.app,
            campaignID: message.campaignID,
            provider: ProviderName(rawValue: message.provider),
            environment: PushEnvironment(rawValue: message.environment),
            policy: message.policy,
            pushType: pushType,
            priority: priority,
            expiresAt: try Self.instant(message.expiresAt),
            collapseID: message.collapseID,
            payload: [UInt8](message.payload),
            messageIDAt: messageIDAt,
            personal: personal,
            traceParent: message.traceParent
        )
    }

    /// Returns an instant from 1970 to the year 9999, so that no computation with it overflows.
    fileprivate static func instant(_ milliseconds: Int64) throws(ShardError) -> Timestamp {
        guard (0...253_402_300_799_999).contains(milliseconds) else { throw .malformed("instant out of range") }
        return Timestamp(milliseconds: milliseconds)
    }
}
