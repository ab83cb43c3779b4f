// Linux compiles this file against stubs only; it is thin: what is decided is decided in Looks.
#if canImport(SwiftUI) && canImport(UIKit) && !os(tvOS) && !os(watchOS)
public import SwiftUI

/// A place in the app's own view where notifications are drawn, as long as it is on the screen.
///
///     VStack { FanfareArea("news"); NewsList() }
public struct FanfareArea: View {
    @ObservedObject private var board = LookBoard.shared
    private let name: String

    /// An area of a name.
    ///
    ///     FanfareArea("news")
    public init(_ name: String = "") { self.name = name }

    /// The notifications that are drawn here.
    public var body: some View {
        VStack(spacing: 8) {
            // A stack without anything in it never appears.
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
