public import Foundation

/// The rules for how often in-app messages appear.
public struct InAppRules: Sendable, Hashable {
    /// The seconds between two messages that appear by themselves.
    public var interval: TimeInterval = 30

    /// Creates the standard rules: at most one message in 30 s.
    ///
    ///     var rules = InAppRules()
    ///     rules.interval = 60
    public init() {}
}

/// A delegate's decision about a message that could be shown now.
public enum InAppChoice: Sendable, Hashable, CaseIterable {
    /// The message is shown.
    case now
    /// The message goes back on the stack, until something changes or `displayNext()` is called.
    case later
    /// The message is dropped.
    case discard
}

/// The reason why a message did not appear.
public enum InAppDiscardReason: String, Sendable, Hashable, CaseIterable {
    /// The delegate chose to discard it.
    case delegate
    /// One of its images or files could not be loaded.
    case asset
    /// Its time-out passed before there was room for it.
    case timeout
    /// It ended, or its campaign was cancelled.
    case ended
    /// The screen has another orientation.
    case orientation
    /// Its layout needs an image (image only, or the whole screen), and it has none.
    case noImage
    /// Nobody can draw its layout.
    case noPresenter
}

/// The way in which a message was closed.
public enum InAppClosing: Sendable, Hashable {
    /// The person closed it, or its duration was over.
    case dismissed
    /// A button was pressed.
    case button(String)
    /// The message itself was tapped.
    case tapped
}
