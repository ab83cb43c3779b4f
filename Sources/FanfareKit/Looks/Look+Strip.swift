extension Look {
    /// The edge at which a strip appears; nil for a look that has the whole screen.
    ///
    /// A strip for an area that is not on the screen appears at the bottom, as strips do by default.
    var strip: InAppMessage.Position? {
        guard case .slideup(let place) = frame else { return nil }
        return if case .overlay(let position) = place { position } else { .bottom }
    }

    /// The shortest swipe, in points.
    static let swipeMin = 24.0

    /// Returns true if a finger that moved this far to the right and down swiped the strip away: towards its edge, or
    /// out of its area to either side.
    func isSwipe(_ right: Double, _ down: Double) -> Bool {
        guard isSwipedAway, case .slideup(let place) = frame else { return false }
        return switch place {
        case .overlay(.bottom): down > Self.swipeMin && down > abs(right)
        case .overlay(.top): -down > Self.swipeMin && -down > abs(right)
        case .area: abs(right) > Self.swipeMin && abs(right) > abs(down)
        }
    }
}
