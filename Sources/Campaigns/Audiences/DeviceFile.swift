/// The columns that a file of devices may have.
public enum DeviceFileFields: Sendable {
    /// An audience's devices (contract, section 3): other columns are variables.
    case audience
    /// A registry's devices: user, tags, permission, version and registration too; other columns are attributes.
    case registry

    /// The columns with a known name.
    var names: [String: CSVDeviceReader.Column] {
        switch self {
        case .audience: Self.audienceNames
        case .registry: Self.registryNames
        }
    }

    private static let audienceNames: [String: CSVDeviceReader.Column] = [
        "token": .token, "provider": .provider, "environment": .environment, "id": .id, "locale": .locale,
        "time_zone": .timeZone,
    ]
    private static let registryNames = audienceNames.merging([
        "user": .user, "tags": .tags, "permission": .permission, "app_version": .appVersion,
        "badge": .badge, "registered_at": .registeredAt,
    ]) { first, _ in first }

    /// The known names for which a similar column name is probably a misspelling.
    ///
    /// `id` and `user` are too short to compare, and `token` is required anyway.
    var misspelt: [String] {
        let both = ["provider", "environment", "locale", "time_zone"]
        switch self {
        case .audience: return both
        case .registry: return both + ["permission", "app_version", "registered_at"]
        }
    }

    /// The word for a column without a known name, with its article.
    var otherName: String {
        switch self {
        case .audience: "a variable"
        case .registry: "an attribute"
        }
    }

    func column(_ name: String) -> CSVDeviceReader.Column {
        if let known = names[name] { return known }
        switch self {
        case .audience: return .variable(name)
        case .registry:
            let prefix = SegmentWord.attributePrefix
            let isPrefixed = name.hasPrefix(prefix) && name.utf8.count > prefix.utf8.count
            return .attribute(isPrefixed ? String(name.dropFirst(prefix.count)) : name)
        }
    }
}

/// Reads a file of devices piece by piece in bounded memory; see ``AudienceFileReader``.
public struct DeviceFileReader {
    private var csv: CSVDeviceReader?
    private var ndjson: NDJSONDeviceReader

    /// Creates a reader for a file of that format.
    public init(_ format: AudienceFileFormat, _ fields: DeviceFileFields, tokens: TokenForms) {
        csv = format == .csv ? CSVDeviceReader(fields, tokens) : nil
        ndjson = NDJSONDeviceReader(fields, tokens)
    }

    /// The result so far.
    public var report: AudienceFileReport { csv?.report ?? ndjson.report }

    /// Reads the next piece; calls `each` with every device in it and the line on which it begins.
    public mutating func read(
        _ piece: UnsafeRawBufferPointer,
        each: (DeviceRegistration, _ line: Int) throws -> Void
    ) rethrows {
        let bytes = piece.bindMemory(to: UInt8.self)
        if csv != nil {
            try csv?.read(bytes, each)
        } else {
            try ndjson.read(bytes, each)
        }
    }

    /// Reads the next piece.
    public mutating func read(_ piece: [UInt8], each: (DeviceRegistration, _ line: Int) throws -> Void) rethrows {
        try piece.withUnsafeBytes { try read($0, each: each) }
    }

    /// Reads a last line that has no line end.
    public mutating func finish(each: (DeviceRegistration, _ line: Int) throws -> Void) rethrows {
        if csv != nil {
            try csv?.finish(each)
        } else {
            try ndjson.finish(each)
        }
    }
}
