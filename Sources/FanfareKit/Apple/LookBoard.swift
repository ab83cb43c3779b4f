// Linux compiles this file only against stubs, so it stays thin: Looks makes the decisions.
#if canImport(SwiftUI) && canImport(UIKit) && !os(tvOS) && !os(watchOS)
import SwiftUI
import UIKit

/// Keeps the looks that are on the screen, in the app's own areas or in a window above them.
@MainActor final class LookBoard: ObservableObject, LookDrawer {
    /// The app's drawer, shared with the views that draw its looks.
    static let shared = LookBoard()

    @Published private(set) var pile = LookPile()
    private var ends: [String: @MainActor (Look.End) -> Void] = [:]
    private var window: LookWindow?

    func show(_ look: Look, end: @escaping @MainActor (Look.End) -> Void) -> Bool {
        guard let scene = Self.scene else { return false }
        if window == nil { window = LookWindow(scene) }
        ends[look.id] = end
        pile.put(look)
        draw()
        return true
    }

    func hide(_ look: Look) {
        ends[look.id] = nil
        pile.take(look.id)
        draw()
    }

    /// Ends a look in the way that the person chose.
    func end(_ look: Look, _ how: Look.End) {
        let end = ends[look.id]
        hide(look)
        end?(how)
    }

    func open(_ area: String) {
        pile.open(area)
        draw()
    }

    func close(_ area: String) {
        pile.close(area)
        draw()
    }

    private func draw() {
        window?.draw(pile.over) { [weak self] in self?.end($0, $1) }
        guard pile.isEmpty else { return }
        window?.isHidden = true
        window = nil
    }

    /// The scene in front.
    private static var scene: UIWindowScene? {
        let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
        return scenes.first { $0.activationState == .foregroundActive } ?? scenes.first
    }
}
#endif
