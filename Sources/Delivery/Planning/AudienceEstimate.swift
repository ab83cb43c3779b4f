/// The probable number of devices of an audience that is not known exactly.
public struct AudienceEstimate: Sendable, Equatable {
    /// The estimated number of devices.
    public var devices: Int
    /// The largest difference from the true number in 19 of 20 cases.
    public var error: Int

    /// An estimate.
    public init(devices: Int, error: Int) {
        (self.devices, self.error) = (devices, error)
    }

    /// The smallest number that is probable.
    public var least: Int { max(0, devices - error) }
}

/// The share of the registry that an audience has, measured on some ranges of it.
public struct AudienceSample: Sendable, Equatable {
    /// The device numbers of a range: a millisecond of reading.
    public static let span: Int64 = 512
    /// The number of ranges: some 16,000 devices, read in about 20 ms.
    public static let ranges = 32
    /// The number of device numbers up to which an audience is counted rather than estimated.
    public static let countedMost = span * Int64(ranges)

    /// The devices of the audience in a million device numbers.
    public var perMillion: Int64
    /// The largest difference from the true share in 19 of 20 cases, in a million too.
    public var errorPerMillion: Int64

    /// A stored measurement.
    public init(perMillion: Int64, errorPerMillion: Int64) {
        (self.perMillion, self.errorPerMillion) = (perMillion, errorPerMillion)
    }

    /// The measurement of ranges of `span` device numbers, by the devices of the audience found in each.
    ///
    /// The ranges are clusters: neighbours registered together and are alike, so the error is computed from the
    /// differences between ranges. It is never below that of an audience of which not one device was met (three in as
    /// many as were looked at).
    public init(found: [Int]) {
        let size = Double(Self.span) * Double(max(1, found.count))
        let mean = found.isEmpty ? 0 : Double(found.reduce(0, +)) / Double(found.count)
        let squares = found.reduce(0.0) { $0 + (Double($1) - mean) * (Double($1) - mean) }
        let deviation = found.count > 1 ? (squares / Double(found.count - 1)).squareRoot() : mean
        let error = 1.96 * deviation / Double(max(1, found.count)).squareRoot() / Double(Self.span)
        perMillion = Int64((mean / Double(Self.span) * 1_000_000).rounded())
        errorPerMillion = Int64((max(error, 3 / size) * 1_000_000).rounded(.up))
    }

    /// The measurement of an audience that was counted in the whole registry; exact up to a millionth of it.
    public init(counted: Int, of registry: Int64) {
        perMillion = Int64((Double(counted) * 1_000_000 / Double(max(1, registry))).rounded())
        errorPerMillion = 1
    }

    /// The first positions of the ranges: evenly spread, from a random beginning.
    ///
    /// - Parameters:
    ///   - registry: The device numbers that the registry has given away.
    ///   - random: A random number.
    /// - Returns: The positions after which the ranges begin, in rising order.
    public static func positions(in registry: Int64, random: UInt64) -> [Int64] {
        let room = registry - span
        guard room > 0 else { return [0] }
        let step = max(span, room / Int64(ranges))
        let begin = Int64(random % UInt64(step))
        return Array(stride(from: min(begin, room), through: room, by: Int(step)).prefix(ranges))
    }

    /// The estimate of an audience of which a part is known.
    ///
    /// - Parameters:
    ///   - known: The devices that were found up to a position of the registry.
    ///   - left: The device numbers behind it.
    public func estimate(known: Int = 0, left: Int64) -> AudienceEstimate {
        let left = max(0, left)
        let devices = Int(Double(left) * Double(perMillion) / 1_000_000)
        let error = Int((Double(left) * Double(errorPerMillion) / 1_000_000).rounded(.up))
        return AudienceEstimate(devices: known + min(devices, Int(left)), error: min(error, Int(left)))
    }
}
