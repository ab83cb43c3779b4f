/// The tries of a lock that another process holds, whose release nobody tells of.
///
/// A try costs some microseconds, so the pauses grow with the wait: a lock that is held for a commit is free after one
/// or two short ones, and one that is held for a whole piece (`WorkPiece.longest`) is tried a quarter as often. The
/// longest pause stays short, because whoever asks often takes the lock from whoever asks rarely. Pure.
public struct LockTries: Sendable, Equatable {
    /// The first pause.
    public static let least = Duration.microseconds(500)
    /// The longest pause.
    public static let most = Duration.milliseconds(2)

    /// The pauses that are shorter than `most`.
    private let first: [Duration]
    private let count: Int

    /// Tries for about so long, and at least one more.
    public init(for timeout: Duration) {
        var (first, waited): ([Duration], Duration) = ([], .zero)
        while waited < timeout, max(Self.least, waited / 4) < Self.most {
            first.append(max(Self.least, waited / 4))
            waited += first[first.count - 1]
        }
        self.first = first
        let rest = max(.zero, timeout - waited) / Self.most
        count = max(1, first.count + Int(rest.rounded(.up)))
    }

    /// Returns the pause before the next try; nil when so many have failed that the wait is over.
    public func pause(after failed: Int) -> Duration? {
        guard failed < count else { return nil }
        return failed < first.count ? first[failed] : Self.most
    }
}
