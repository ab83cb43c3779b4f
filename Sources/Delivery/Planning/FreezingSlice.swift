/// The time that an audience has in a pass of its planner.
///
/// It is asked after each page of devices, so even a slice of no time brings the audience on by a page.
public struct FreezingSlice: Sendable, Equatable {
    /// The time; zero for one page.
    private let length: Duration

    /// A slice of this length.
    public init(upTo length: Duration) {
        self.length = length
    }

    /// Returns true if the slice goes on with another page.
    ///
    /// A hint ends it: a campaign that was accepted meanwhile waits for a page, not for the rest of the slice.
    ///
    /// - Parameters:
    ///   - used: The time since the slice began.
    ///   - isHinted: True if somebody has hinted since then that campaigns may have changed.
    public func goesOn(used: Duration, isHinted: Bool) -> Bool { !isHinted && used < length }
}
