// Linux compiles this file only against stubs, so it stays thin: Looks makes the decisions.
#if canImport(SwiftUI) && canImport(UIKit) && !os(tvOS) && !os(watchOS)
public import SwiftUI

/// A place in the app's own view where notifications are drawn, as long as it is on the screen.
///
///     VStack { FanfareArea("news"); NewsList() }
public struct FanfareArea: View {
    @ObservedObject private var board = LookBoard.shared
    private let name: String

    /// Creates an area with a name.
    ///
    ///     FanfareArea("news")
    public init(_ name: String = "") { self.name = name }

    /// The notifications that are drawn here.
    public var body: some View {
        VStack(spacing: 8) {
            // SwiftUI never calls `onAppear` of an empty stack.
            Color.clear.frame(height: 0)
            ForEach(board.pile.looks(in: name)) { look in
                LookView(look, room: 600) { board.end(look, $0) }
            }
        }
        .onAppear {
            Fanfare.shared?.presenters.offerArea(name)
            board.open(name)
        }
        .onDisappear {
            Fanfare.shared?.presenters.withdrawArea(name)
            board.close(name)
        }
    }
}
#endif
