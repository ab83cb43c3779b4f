public import Foundation

/// How often in-app messages appear.
public struct InAppRules: Sendable, Hashable {
    /// Seconds between two messages that appear by themselves.
    public var interval: TimeInterval = 30

    /// At most one in 30 s.
    ///
    ///     var rules = InAppRules()
    ///     rules.interval = 60
    public init() {}
}

/// What a delegate says of a message that could be shown now.
public enum InAppChoice: Sendable, Hashable, CaseIterable {
    /// It is shown.
    case now
    /// It goes back on the stack, until something changes or `displayNext()` is called.
    case later
    /// It is gone.
    case discard
}

/// Why a message that was to appear did not.
public enum InAppDiscardReason: String, Sendable, Hashable, CaseIterable {
    /// The delegate said so.
    case delegate
    /// A picture or file of it could not be loaded.
    case asset
    /// Its time-out passed before there was a place for it.
    case timeout
    /// It ended, or its campaign was cancelled.
    case ended
    /// The screen is held another way.
    case orientation
    /// It is only a picture, or laid out over the whole screen, and has none.
    case noImage
    /// Nobody is there to draw its layout.
    case noPresenter
}

/// How a message was closed.
public enum InAppClosing: Sendable, Hashable {
    /// The person closed it, or its duration was over.
    case dismissed
    /// A button was pressed.
    case button(String)
    /// The message itself was tapped.
    case tapped
}
