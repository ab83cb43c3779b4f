// swift-format-ignore-file
// The calls that FanfareKit makes to Apple's WebKit, as its headers declare them for iOS: signatures and isolation, no
// behaviour.
@_exported import FoundationNetworking
@_exported import UIKit

@MainActor open class WKWebView: UIView {
    weak open var navigationDelegate: (any WKNavigationDelegate)?
    @discardableResult open func loadHTMLString(_ string: String, baseURL: URL?) -> WKNavigation? { nil }
    @discardableResult open func loadFileURL(_ URL: URL, allowingReadAccessTo readAccessURL: URL) -> WKNavigation? {
        nil
    }
}

@MainActor open class WKNavigation: NSObject {}

@MainActor open class WKNavigationAction: NSObject {
    open var navigationType: WKNavigationType { fatalError() }
    open var request: URLRequest { fatalError() }
}

public enum WKNavigationType: Int, Sendable {
    case linkActivated, formSubmitted, backForward, reload, formResubmitted
    case other = -1
}

public enum WKNavigationActionPolicy: Int, Sendable {
    case cancel, allow, download
}

// Optional in Apple's SDK; required here, so that a witness with another signature is an error.
@MainActor public protocol WKNavigationDelegate: NSObjectProtocol {
    func webView(
        _ webView: WKWebView,
        decidePolicyFor navigationAction: WKNavigationAction
    ) async -> WKNavigationActionPolicy
}
