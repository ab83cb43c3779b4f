// Linux compiles this file only against stubs, so it stays thin: Looks makes the decisions.
#if canImport(SwiftUI) && canImport(UIKit) && !os(tvOS) && !os(watchOS)
import SwiftUI
import UIKit

/// A window over the app that takes touches on a look and leaves all others to the app.
@MainActor final class LookWindow: UIWindow {
    private let root = LookRoot()
    private var hosts: [String: UIViewController] = [:]

    init(_ scene: UIWindowScene) {
        super.init(windowScene: scene)
        windowLevel = UIWindow.Level(rawValue: UIWindow.Level.normal.rawValue + 1)
        backgroundColor = .clear
        root.view.backgroundColor = .clear
        rootViewController = root
        isHidden = false
    }

    required init?(coder: NSCoder) { nil }

    /// Draws exactly these looks and removes all others.
    func draw(_ looks: [Look], end: @escaping @MainActor (Look, Look.End) -> Void) {
        let ids = Set(looks.map(\.id))
        for (id, host) in hosts where !ids.contains(id) {
            host.willMove(toParent: nil)
            host.view.removeFromSuperview()
            host.removeFromParent()
            hosts[id] = nil
        }
        for look in looks where hosts[look.id] == nil { add(look, end) }
    }

    private func add(_ look: Look, _ end: @escaping @MainActor (Look, Look.End) -> Void) {
        let host = UIHostingController(rootView: LookView(look, room: Double(bounds.height)) { end(look, $0) })
        guard let view = host.view, let whole = root.view else { return }
        view.backgroundColor = .clear
        view.translatesAutoresizingMaskIntoConstraints = false
        root.addChild(host)
        whole.addSubview(view)
        let room = whole.safeAreaLayoutGuide
        var edges = [view.leadingAnchor.constraint(equalTo: whole.leadingAnchor)]
        edges.append(view.trailingAnchor.constraint(equalTo: whole.trailingAnchor))
        // A strip is as high as its content; every other look has the whole screen.
        let strip = look.strip
        if strip != .bottom {
            edges.append(view.topAnchor.constraint(equalTo: strip == nil ? whole.topAnchor : room.topAnchor))
        }
        if strip != .top {
            edges.append(view.bottomAnchor.constraint(equalTo: strip == nil ? whole.bottomAnchor : room.bottomAnchor))
        }
        NSLayoutConstraint.activate(edges)
        host.didMove(toParent: root)
        view.accessibilityViewIsModal = strip == nil
        UIAccessibility.post(notification: strip == nil ? .screenChanged : .layoutChanged, argument: view)
        hosts[look.id] = host
    }

    override func hitTest(_ point: CGPoint, with event: UIEvent?) -> UIView? {
        // Touches outside all looks belong to the app.
        guard hosts.values.contains(where: { $0.view.frame.contains(point) }) else { return nil }
        return super.hitTest(point, with: event)
    }
}

/// Rotates with the app's own window, and hides the status bar when that does.
@MainActor private final class LookRoot: UIViewController {
    private var app: UIViewController? {
        view.window?.windowScene?.windows.first { !($0 is LookWindow) }?.rootViewController
    }

    override var supportedInterfaceOrientations: UIInterfaceOrientationMask {
        app?.supportedInterfaceOrientations ?? super.supportedInterfaceOrientations
    }

    override var prefersStatusBarHidden: Bool { app?.prefersStatusBarHidden ?? super.prefersStatusBarHidden }
}
#endif
