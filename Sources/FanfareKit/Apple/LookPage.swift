// Linux compiles this file only against stubs, so it stays thin: Looks makes the decisions.
#if canImport(SwiftUI) && canImport(UIKit) && canImport(WebKit) && !os(tvOS) && !os(watchOS)
import Foundation
import SwiftUI
import WebKit

/// Draws a page of HTML, with the files that came with it.
struct LookPage: UIViewRepresentable {
    let html: String
    let folder: URL?
    let follow: @MainActor (String) -> Void

    func makeUIView(context: Context) -> WKWebView {
        let view = WKWebView()
        view.navigationDelegate = context.coordinator
        // A page reads the files of a folder only when it lies in that folder.
        if let folder, let page = Self.write(html, in: folder) {
            view.loadFileURL(page, allowingReadAccessTo: folder)
        } else {
            view.loadHTMLString(html, baseURL: nil)
        }
        return view
    }

    func updateUIView(_ view: WKWebView, context: Context) {}

    func makeCoordinator() -> Links { Links(follow) }

    private static func write(_ html: String, in folder: URL) -> URL? {
        let page = folder.appendingPathComponent("fanfare-page.html")
        do { try Data(html.utf8).write(to: page, options: .atomic) } catch { return nil }
        return page
    }

    /// Hands pressed links to the kit, and lets nothing else leave the page.
    @MainActor final class Links: NSObject, WKNavigationDelegate {
        private let follow: @MainActor (String) -> Void

        init(_ follow: @escaping @MainActor (String) -> Void) { self.follow = follow }

        func webView(
            _ webView: WKWebView,
            decidePolicyFor navigationAction: WKNavigationAction
        ) async -> WKNavigationActionPolicy {
            guard navigationAction.navigationType == .linkActivated, let link = navigationAction.request.url else {
                return .allow
            }
            follow(link.absoluteString)
            return .cancel
        }
    }
}
#endif
