public import Campaigns

/// A job's content and options compiled for one provider, the same for all devices of a part.
///
/// The planner copies it into `Shard.Facts`. It does not contain expiry and audience.
public struct CompiledPush: Equatable, Sendable {
    /// The job's push type, or the contract's default for its content.
    public var pushType: PushType
    /// The job's priority as a number: 10, 5 or 1; background pushes default to 5.
    public var priority: UInt8
    /// The job's collapse id, or the provider's default (for APNs a short hash of app and id); may be empty.
    public var collapseID: String
    /// The template of a collapse id that differs from device to device; empty for none.
    public var collapseTemplate = ""
    /// The body in pieces.
    public var segments: [PayloadSegment]
    /// The largest body of a device, in bytes.
    public var payloadBytesMax: Int

    /// The body with gaps for everything that differs between devices, as in `Shard.Facts.payload`.
    public var payload: [UInt8] {
        segments.flatMap(\.bytes)
    }

    /// The offset in `payload` at which each device's message id is written; nil when there is none.
    public var messageIDAt: UInt32? {
        guard let index = segments.firstIndex(of: .messageID) else { return nil }
        return UInt32(segments[..<index].reduce(0) { $0 + $1.bytes.count })
    }

    /// The templates in `payload` and of the collapse id, as in `Shard.Facts.personal`.
    public var personal: PersonalContent {
        var personal = PersonalContent(collapseID: collapseTemplate)
        var offset: UInt32 = 0
        for segment in segments {
            if case .template(let source, let form) = segment {
                personal.placeholders.append(TemplatePlaceholder(at: offset, form: form, source: source))
            }
            offset += UInt32(segment.bytes.count)
        }
        return personal
    }
}

extension DeliveryOptions.Priority {
    /// Apple's number for the priority, used everywhere: 10 at once, 5 with regard to power, 1 last.
    public var number: UInt8 {
        switch self {
        case .high: 10
        case .normal: 5
        case .low: 1
        }
    }
}
