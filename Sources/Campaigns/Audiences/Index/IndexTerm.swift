/// A trait by which the registry's index finds devices: `tag sport`, `locale es`, `team = "atleti"`.
///
/// The index knows it by a hash. Two terms with one hash would share their devices, which costs reads and changes no
/// audience: each device that the index names is judged by the whole expression.
public struct IndexTerm: Hashable, Sendable {
    /// The hash by which the index knows the term.
    public let key: Int64
    /// The name for people.
    public let name: String

    /// The version of the rules by which devices have terms; an index that another version built is not used.
    public static let version: Int64 = 1

    /// The number of milliseconds of a day.
    static let day: Int64 = 86_400_000
    /// Days since 1970 are kept up to 2059; a later instant counts as the last day.
    static let daysEnd: Int64 = 32_768
    /// Each level's periods are so many of the level below; the lowest has days, the highest 4,096 days.
    static let periodFactor: Int64 = 8
    /// The number of levels of periods.
    static let periodLevels = 5

    /// The kinds of terms; the raw value goes into the hash and never changes.
    enum Kind: UInt8 {
        case tag = 1
        case attribute = 2
        case value = 3
        case locale = 4
        case timeZone = 5
        case provider = 6
        case environment = 7
        case permission = 8
        case appVersion = 9
        case period = 10
    }

    init(_ kind: Kind, _ name: some Collection<UInt8>, _ value: some Sequence<UInt8>, shown: String) {
        key = Self.key(kind, name, value)
        self.name = shown
    }

    /// The hash of a kind, a name (of attributes only) and a value.
    static func key(_ kind: Kind, _ name: some Collection<UInt8>, _ value: some Sequence<UInt8>) -> Int64 {
        var hash = FNV1a(CollectionOfOne(kind.rawValue))
        hash.take(UInt8(truncatingIfNeeded: name.count))
        for byte in name { hash.take(byte) }
        for byte in value { hash.take(byte) }
        return Int64(bitPattern: hash.bits)
    }

    static func key(_ kind: Kind, _ value: some Sequence<UInt8>) -> Int64 {
        key(kind, EmptyCollection<UInt8>(), value)
    }

    /// The bytes under which an attribute's value is found: equal numbers have one spelling, texts are their bytes.
    static func spelling(of value: some Collection<UInt8> & SendableMetatype) -> [UInt8] {
        guard JSONNumber.isNumber(value) else { return Array(value) }
        return Array(JSONNumber(text: String(decoding: value, as: UTF8.self)).normalized.text.utf8)
    }

    /// The day of an instant in milliseconds.
    static func day(of milliseconds: Int64) -> Int64 {
        min(max(0, milliseconds / day), daysEnd - 1)
    }

    /// The bytes of a period: its level and its number in the level.
    static func period(level: Int, _ number: Int64) -> [UInt8] {
        [UInt8(level), UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
    }

    /// The fewest periods that cover days, both ends included: at most 7 at each end of each level.
    static func periods(from first: Int64, through last: Int64) -> [(level: Int, number: Int64)] {
        var (first, last, periods) = (first, last, [(level: Int, number: Int64)]())
        for level in 0..<periodLevels - 1 {
            while first <= last, !first.isMultiple(of: periodFactor) {
                periods.append((level, first))
                first += 1
            }
            while first <= last, !(last + 1).isMultiple(of: periodFactor) {
                periods.append((level, last))
                last -= 1
            }
            guard first <= last else { return periods }
            (first, last) = (first / periodFactor, last / periodFactor)
        }
        return periods + (first...last).map { (level: periodLevels - 1, number: $0) }
    }
}

extension PackedTraits {
    /// The keys of the index's terms that the device has, each once.
    public var indexKeys: Set<Int64> {
        var keys: Set<Int64> = []
        forEachTag { keys.insert(IndexTerm.key(.tag, $0)) }
        forEachAttribute { name, value in
            keys.insert(IndexTerm.key(.attribute, name, EmptyCollection<UInt8>()))
            keys.insert(IndexTerm.key(.value, name, IndexTerm.spelling(of: value)))
        }
        insertLocales(&keys)
        for (kind, field) in [(IndexTerm.Kind.provider, 0), (.environment, 1), (.timeZone, 3)] {
            let text = groupField(field)
            if !text.isEmpty { keys.insert(IndexTerm.key(kind, text)) }
        }
        keys.insert(IndexTerm.key(.permission, permission.rawValue.utf8))
        if !appVersion.isEmpty {
            let version = VersionOrder.canonical(String(decoding: appVersion, as: UTF8.self))
            keys.insert(IndexTerm.key(.appVersion, version.utf8))
        }
        if let registered = registeredAt?.milliseconds {
            var number = IndexTerm.day(of: registered)
            for level in 0..<IndexTerm.periodLevels {
                keys.insert(IndexTerm.key(.period, IndexTerm.period(level: level, number)))
                number /= IndexTerm.periodFactor
            }
        }
        return keys
    }

    /// Adds each language range that the locale lies within: `es` and `es-mx` for `es-MX`.
    private func insertLocales(_ keys: inout Set<Int64>) {
        let locale = groupField(2).map { (65...90).contains($0) ? $0 | 0x20 : $0 }
        guard !locale.isEmpty else { return }
        for (index, byte) in locale.enumerated() where byte == UInt8(ascii: "-") {
            keys.insert(IndexTerm.key(.locale, locale[..<index]))
        }
        keys.insert(IndexTerm.key(.locale, locale))
    }
}

extension DeviceTraits {
    /// The keys of the index's terms that the device has.
    public var indexKeys: Set<Int64> { packed().withUnsafeBytes { PackedTraits($0)?.indexKeys ?? [] } }
}
