import Campaigns
import TLS

/// A file of the dashboard, compiled in: the program is one file, and the dashboard cannot be changed beside it.
struct DashboardFile: Sendable {
    let name: String
    /// Its media type.
    let type: String
    let bytes: [UInt8]
    /// A strong entity tag (RFC 9110, section 8.8.3): the same for the same bytes.
    let tag: String

    private init(_ name: String, _ type: String, _ bytes: [UInt8]) {
        self.name = name
        self.type = type
        self.bytes = bytes
        tag = "\"\(Hexadecimal.text(SHA256.digest(bytes).prefix(12)))\""
    }

    private static let script = "text/javascript; charset=utf-8"

    /// The HTML page.
    static let page = DashboardFile("index.html", "text/html; charset=utf-8", PackageResources.index_html)

    /// The files that the page loads.
    static let others = [
        DashboardFile("api.js", script, PackageResources.api_js),
        DashboardFile("campaigns.js", script, PackageResources.campaigns_js),
        DashboardFile("dashboard.css", "text/css; charset=utf-8", PackageResources.dashboard_css),
        DashboardFile("fleet.js", script, PackageResources.fleet_js),
        DashboardFile("icon.svg", "image/svg+xml", PackageResources.icon_svg),
        DashboardFile("main.js", script, PackageResources.main_js),
        DashboardFile("page.js", script, PackageResources.page_js),
        DashboardFile("parked.js", script, PackageResources.parked_js),
        DashboardFile("rate.js", script, PackageResources.rate_js),
    ]
}
