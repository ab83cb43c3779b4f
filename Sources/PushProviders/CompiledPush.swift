public import Campaigns

/// What a job's content and options come to for one provider: alike for all devices of a part.
///
/// The planner copies it into `Shard.Facts`; expiry and audience are not in it.
public struct CompiledPush: Equatable, Sendable {
    /// The job's push type, or the contract's default for its content.
    public var pushType: PushType
    /// The job's priority as a number: 10, 5 or 1; background pushes default to 5.
    public var priority: UInt8
    /// The job's collapse id, or the provider's default (for APNs a short hash of app and id); may be empty.
    public var collapseID: String
    /// The body, in pieces.
    public var segments: [PayloadSegment]

    /// A compiled push.
    public init(pushType: PushType, priority: UInt8, collapseID: String, segments: [PayloadSegment]) {
        self.pushType = pushType
        self.priority = priority
        self.collapseID = collapseID
        self.segments = segments
    }

    /// The body when no piece differs from device to device: what `Shard.Facts.payload` carries.
    public var payload: [UInt8] {
        segments.flatMap { segment in
            switch segment {
            case .constant(let bytes): bytes
            }
        }
    }
}

/// A piece of a payload.
///
/// Templates will add pieces that differ from device to device.
public enum PayloadSegment: Equatable, Sendable {
    /// The same bytes for every device.
    case constant([UInt8])
}

extension DeliveryOptions.Priority {
    /// Apple's number, which stands for the three words everywhere: 10 at once, 5 with care for power, 1 last.
    public var number: UInt8 {
        switch self {
        case .high: 10
        case .normal: 5
        case .low: 1
        }
    }
}
