/// Traits in the binary form that the registry stores in one column.
///
/// The fields that chunks group by come first, so that devices of one group share a prefix: `group` (2 bytes of length,
/// then provider, environment, locale, time zone), permission (1), registration (8), version, tags (2 bytes of length,
/// then each with 1), attributes (2 bytes of length, then name, kind, value). Lengths are little-endian; a text has one
/// byte of length unless said otherwise.
public struct PackedTraits {
    private let bytes: UnsafeRawBufferPointer
    private let group: Range<Int>
    private let version: Range<Int>
    private let tags: Range<Int>
    private let attributes: Range<Int>

    /// Creates a view of packed traits, valid only as long as the bytes; nil if the bytes are malformed.
    public init?(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        guard let group = PackedTraits.section(bytes, at: 0), group.upperBound + 10 <= bytes.count else { return nil }
        let versionStart = group.upperBound + 10
        let versionEnd = versionStart + Int(bytes[versionStart - 1])
        guard versionEnd <= bytes.count, let tags = PackedTraits.section(bytes, at: versionEnd),
            let attributes = PackedTraits.section(bytes, at: tags.upperBound)
        else { return nil }
        (self.group, version) = (group, versionStart..<versionEnd)
        (self.tags, self.attributes) = (tags, attributes)
    }

    /// The bytes that all devices of a chunk share.
    public var groupBytes: UnsafeRawBufferPointer { slice(group) }

    /// The person's permission for notifications.
    public var permission: PushPermission {
        let code = Int(bytes[group.upperBound])
        return code < PushPermission.allCases.count ? PushPermission.allCases[code] : .unknown
    }

    /// The instant since which the token is known to be valid; nil if unknown.
    public var registeredAt: Timestamp? {
        let value = bytes.loadUnaligned(fromByteOffset: group.upperBound + 1, as: Int64.self)
        return value == 0 ? nil : Timestamp(milliseconds: Int64(littleEndian: value))
    }

    /// The app's version; empty if unknown.
    var appVersion: UnsafeRawBufferPointer { slice(version) }

    /// Returns true if the device has a tag.
    func hasTag(_ wanted: UnsafeRawBufferPointer) -> Bool {
        var offset = tags.lowerBound
        while offset < tags.upperBound {
            let (start, end) = (offset + 1, offset + 1 + Int(bytes[offset]))
            guard end <= tags.upperBound else { return false }
            if end - start == wanted.count, PackedTraits.areEqual(bytes, start, wanted) { return true }
            offset = end
        }
        return false
    }

    /// Returns the text of an attribute; nil if the device has none of that name.
    func attribute(_ name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var offset = attributes.lowerBound
        while offset < attributes.upperBound {
            let (start, end) = (offset + 1, offset + 1 + Int(bytes[offset]))
            guard end + 3 <= attributes.upperBound else { return nil }
            let value = end + 3..<end + 3 + Int(bytes[end + 1]) + Int(bytes[end + 2]) << 8
            guard value.upperBound <= attributes.upperBound else { return nil }
            if end - start == name.count, PackedTraits.areEqual(bytes, start, name) { return slice(value) }
            offset = value.upperBound
        }
        return nil
    }

    /// Calls `body` with each tag.
    func forEachTag(_ body: (UnsafeRawBufferPointer) -> Void) {
        var offset = tags.lowerBound
        while offset < tags.upperBound {
            let end = offset + 1 + Int(bytes[offset])
            guard end <= tags.upperBound else { return }
            body(slice(offset + 1..<end))
            offset = end
        }
    }

    /// Calls `body` with the name and the text of each attribute.
    func forEachAttribute(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) {
        var offset = attributes.lowerBound
        while offset < attributes.upperBound {
            let end = offset + 1 + Int(bytes[offset])
            guard end + 3 <= attributes.upperBound else { return }
            let valueEnd = end + 3 + Int(bytes[end + 1]) + Int(bytes[end + 2]) << 8
            guard valueEnd <= attributes.upperBound else { return }
            body(slice(offset + 1..<end), slice(end + 3..<valueEnd))
            offset = valueEnd
        }
    }

    /// Returns a text of the group: 0 provider, 1 environment, 2 locale, 3 time zone.
    func groupField(_ index: Int) -> UnsafeRawBufferPointer {
        var offset = group.lowerBound
        for field in 0..<4 {
            guard offset < group.upperBound else { break }
            let end = offset + 1 + Int(bytes[offset])
            guard end <= group.upperBound else { break }
            if field == index { return slice(offset + 1..<end) }
            offset = end
        }
        return slice(0..<0)
    }

    /// The traits as a value; nil if the bytes are malformed.
    public var value: DeviceTraits? {
        guard let group = chunkGroup else { return nil }
        var traits = DeviceTraits(
            provider: group.provider,
            environment: group.environment,
            locale: group.locale,
            timeZone: group.timeZone,
            permission: permission,
            registeredAt: registeredAt
        )
        traits.appVersion = appVersion.isEmpty ? nil : String(decoding: appVersion, as: UTF8.self)
        var offset = tags.lowerBound
        while offset < tags.upperBound {
            let end = offset + 1 + Int(bytes[offset])
            guard end <= tags.upperBound else { return nil }
            traits.tags.append(String(decoding: slice(offset + 1..<end), as: UTF8.self))
            offset = end
        }
        offset = attributes.lowerBound
        while offset < attributes.upperBound {
            let end = offset + 1 + Int(bytes[offset])
            guard end + 3 <= attributes.upperBound else { return nil }
            let valueEnd = end + 3 + Int(bytes[end + 1]) + Int(bytes[end + 2]) << 8
            guard valueEnd <= attributes.upperBound else { return nil }
            let name = String(decoding: slice(offset + 1..<end), as: UTF8.self)
            let text = String(decoding: slice(end + 3..<valueEnd), as: UTF8.self)
            switch bytes[end] {
            case 1: traits.attributes[name] = .number(JSONNumber(text: text))
            case 2: traits.attributes[name] = .bool(text == "true")
            default: traits.attributes[name] = .text(text)
            }
            offset = valueEnd
        }
        return traits
    }

    /// The key by which the device's chunk is grouped.
    public var chunkGroup: ListChunk.Group? {
        func text(_ index: Int) -> String? {
            let field = groupField(index)
            return field.isEmpty ? nil : String(decoding: field, as: UTF8.self)
        }
        guard let provider = text(0) else { return nil }
        return ListChunk.Group(
            provider: ProviderName(rawValue: provider),
            environment: text(1).flatMap { PushEnvironment(rawValue: $0) },
            locale: text(2),
            timeZone: text(3)
        )
    }

    private func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[range]) }

    private static func section(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Range<Int>? {
        guard offset + 2 <= bytes.count else { return nil }
        let end = offset + 2 + Int(bytes[offset]) + Int(bytes[offset + 1]) << 8
        return end <= bytes.count ? offset + 2..<end : nil
    }

    private static func areEqual(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ other: UnsafeRawBufferPointer) -> Bool
    {
        for index in 0..<other.count where bytes[start + index] != other[index] { return false }
        return true
    }
}

extension DeviceTraits {
    /// Returns the bytes that the registry stores; truncates texts beyond the limits, which decoders already refuse.
    public func packed() -> [UInt8] {
        var group: [UInt8] = []
        for text in [provider.rawValue, environment?.rawValue ?? "", locale ?? "", timeZone ?? ""] {
            PackedTraits.append(text, to: &group)
        }
        var bytes = PackedTraits.sectioned(group)
        bytes.append(UInt8(PushPermission.allCases.firstIndex(of: permission) ?? PushPermission.allCases.count - 1))
        let instant = UInt64(bitPattern: registeredAt?.milliseconds ?? 0)
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: instant >> shift))
        }
        PackedTraits.append(appVersion ?? "", to: &bytes)
        var words: [UInt8] = []
        for tag in tags { PackedTraits.append(tag, to: &words) }
        bytes += PackedTraits.sectioned(words)
        var values: [UInt8] = []
        for (name, value) in attributes.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            PackedTraits.append(name, to: &values)
            let text = Array(value.text.utf8.prefix(DeviceTraits.attributesBytesMax))
            switch value {
            case .text: values.append(0)
            case .number: values.append(1)
            case .bool: values.append(2)
            }
            values += PackedTraits.sectioned(text)
        }
        return bytes + PackedTraits.sectioned(values)
    }

    /// Reads the output of ``packed()``; nil if the bytes are malformed.
    public init?(packed bytes: [UInt8]) {
        guard let value = bytes.withUnsafeBytes({ PackedTraits($0)?.value }) else { return nil }
        self = value
    }
}

extension PackedTraits {
    fileprivate static func append(_ text: String, to bytes: inout [UInt8]) {
        let utf8 = text.utf8.prefix(255)
        bytes.append(UInt8(utf8.count))
        bytes.append(contentsOf: utf8)
    }

    fileprivate static func sectioned(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(truncatingIfNeeded: bytes.count), UInt8(truncatingIfNeeded: bytes.count >> 8)] + bytes
    }
}
