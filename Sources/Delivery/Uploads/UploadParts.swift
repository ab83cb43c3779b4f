/// The rule for the parts of an upload over HTTP: in their order, and each may be sent again.
///
/// Pure.
public enum UploadParts: Sendable, Equatable {
    /// Keep the part.
    case take
    /// The ledger has it already: answer as the first time.
    case again
    /// Another part has this number.
    case differs
    /// Parts before it are missing; `next` is the first of them.
    case tooEarly(next: Int)
    /// The upload has as many parts as it may have.
    case tooMany

    /// The most bytes of a part: one row of the ledger, and one body in memory.
    public static let bytesMax = 4_194_304
    /// The most parts of an upload: 40 GiB.
    public static let countMax = 10_000

    /// Decides about a part.
    ///
    /// - Parameters:
    ///   - number: The part's number, from 0.
    ///   - digest: Its hash.
    ///   - count: The number of parts that the ledger has.
    ///   - known: The hash of the part with this number in the ledger; nil if it has none.
    public static func decide(number: Int, digest: [UInt8], count: Int, known: [UInt8]?) -> UploadParts {
        if number < count { return known == digest ? .again : .differs }
        if number > count { return .tooEarly(next: count) }
        return number < countMax ? .take : .tooMany
    }
}
