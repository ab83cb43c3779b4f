extension Look {
    /// The edge at which a strip stands; nil of what has the whole screen.
    ///
    /// One for an area that is not there stands at the bottom, as it does unless it is told otherwise.
    var strip: InAppMessage.Position? {
        guard case .slideup(let place) = frame else { return nil }
        return if case .overlay(let position) = place { position } else { .bottom }
    }

    /// Points of a swipe at least.
    static let swipeMin = 24.0

    /// Tells whether a finger that went so far to the right and down took the strip away: towards its edge, or out of
    /// its area to either side.
    func isSwipe(_ right: Double, _ down: Double) -> Bool {
        guard isSwipedAway, case .slideup(let place) = frame else { return false }
        return switch place {
        case .overlay(.bottom): down > Self.swipeMin && down > abs(right)
        case .overlay(.top): -down > Self.swipeMin && -down > abs(right)
        case .area: abs(right) > Self.swipeMin && abs(right) > abs(down)
        }
    }
}
