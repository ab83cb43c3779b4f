/// The way in which the registry's index finds the devices of an audience, or the reason why the registry is walked
/// whole.
///
/// A pure decision: who asks reads the facts. Either way each device is judged by the whole expression.
public struct IndexPlan: Sendable, Equatable {
    /// The part of the expression that the index answers.
    public let expression: IndexExpression
    /// About the number of devices that will be read; the most that there can be, unless a sample says fewer.
    public let expected: Int
    /// The number of blocks of the app's registry.
    public let blocks: Int

    /// The number of devices of a part below which looking at other parts saves nothing.
    public static let few = 1_000
    /// The part of a registry that reading by index is worth: one of so many device numbers.
    ///
    /// A device that is found by its number costs some five times as much as one of a range (measured on both
    /// databases).
    public static let worthPart: Int64 = 10
    /// The most blocks whose rows a page reads for a term: some 128 KB.
    static let blocksMax = 256
    /// The number of blocks of a sample.
    public static let sampleBlocks = 64

    /// The choice between the index and a walk over the whole registry.
    public enum Choice: Sendable, Equatable {
        /// The index is read.
        case index(IndexPlan)
        /// The registry is walked whole.
        case walk(WalkReason)
    }

    /// A reason why the registry is walked whole.
    public enum WalkReason: Sendable, Equatable {
        /// The audience is everyone.
        case everyone
        /// The registry fits into two pages.
        case small
        /// The expression says nothing that the index has.
        case notIndexed
        /// The index is being built, and has so many percent of all devices' numbers.
        case incomplete(percent: Int)
        /// Another version built the index.
        case otherVersion
        /// The index names at least this number of devices, which is too large a part of the registry.
        case notFewer(devices: Int)

        /// The reason for people.
        public var text: String {
            switch self {
            case .everyone: "everyone is meant"
            case .small: "the registry is small"
            case .notIndexed: "the index has none of the terms that every match must have"
            case .incomplete(let percent): "the index is being built (\(percent)%)"
            case .otherVersion: "another version of Fanfare built the index"
            case .notFewer(let devices):
                "the index names \(devices) devices, more than a tenth of the registry"
            }
        }
    }

    /// The facts of the index as a whole.
    public struct Standing: Sendable, Equatable {
        /// The version of the rules by which it was built.
        public var version: Int64
        /// The last device number that it has; the largest possible number when it is complete.
        public var builtTo: Int64
        /// The devices that changed and are not in the index yet; counted up to a limit.
        public var changed: Int

        /// The facts as they were read.
        public init(version: Int64, builtTo: Int64, changed: Int) {
            (self.version, self.builtTo, self.changed) = (version, builtTo, changed)
        }

        /// Returns true if the index answers for an app whose registry ends at a number.
        public func answers(upTo last: Int64) -> Bool { version == IndexTerm.version && builtTo >= last }
    }

    /// The number of device numbers of a registry that is walked whole in any case.
    public static let walkedMost: Int64 = 2 * Int64(IndexBlock.places)

    /// Chooses by the expression alone; nil if the index has to be asked.
    ///
    /// - Parameters:
    ///   - expression: The part of the segment that the index can answer; nil for none.
    ///   - last: The number of the registry's last device.
    ///   - standing: The facts of the index.
    public static func reasonToWalk(
        _ expression: IndexExpression?,
        last: Int64,
        _ standing: Standing
    ) -> WalkReason? {
        if last & 0xFFFF_FFFF <= walkedMost { return .small }
        guard expression != nil else { return .notIndexed }
        guard standing.version == IndexTerm.version else { return .otherVersion }
        guard standing.builtTo >= last else {
            let (registry, done) = (last & 0xFFFF_FFFF, standing.builtTo - (last & ~0xFFFF_FFFF))
            return .incomplete(percent: Int(max(0, done) * 100 / registry))
        }
        return nil
    }

    /// Chooses by the numbers of devices.
    ///
    /// - Parameters:
    ///   - expression: The part of the segment that the index can answer.
    ///   - last: The number of the registry's last device.
    ///   - standing: The facts of the index.
    ///   - count: The number of devices of a term or a question.
    ///   - sampled: The number of devices of the expression, estimated from a sample; nil before there is one.
    public static func choice(
        _ expression: IndexExpression,
        last: Int64,
        _ standing: Standing,
        count: (IndexExpression.Leaf) -> Int,
        sampled: Int? = nil
    ) -> Choice {
        let registry = last & 0xFFFF_FFFF
        let pruned = expression.pruned(registry: registry, count)
        let found = min(sampled ?? .max, pruned.most(count)) + standing.changed
        guard Int64(found) <= registry / worthPart else { return .walk(.notFewer(devices: found)) }
        let blocks = Int(registry) / IndexBlock.places + 1
        return .index(IndexPlan(expression: pruned, expected: found, blocks: blocks))
    }

    /// The most device numbers that can be counted as changed before the registry is walked anyway.
    public static func changedMost(last: Int64) -> Int { Int(last & 0xFFFF_FFFF) / Int(worthPart) + 1 }

    /// The number of blocks that a page of at most this many devices looks at.
    public func blocks(forDevices limit: Int) -> Int {
        min(Self.blocksMax, max(1, limit * blocks / max(1, expected)))
    }
}
