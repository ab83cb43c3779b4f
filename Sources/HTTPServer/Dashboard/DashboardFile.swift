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
        DashboardFile("campaign.js", script, PackageResources.campaign_js),
        DashboardFile("chart.js", script, PackageResources.chart_js),
        DashboardFile("compare.js", script, PackageResources.compare_js),
        DashboardFile("dashboard.css", "text/css; charset=utf-8", PackageResources.dashboard_css),
        DashboardFile("events.js", script, PackageResources.events_js),
        DashboardFile("fleet.js", script, PackageResources.fleet_js),
        DashboardFile("icon.svg", "image/svg+xml", PackageResources.icon_svg),
        DashboardFile("list.js", script, PackageResources.list_js),
        DashboardFile("main.js", script, PackageResources.main_js),
        DashboardFile("orders.js", script, PackageResources.orders_js),
        DashboardFile("outcomes.js", script, PackageResources.outcomes_js),
        DashboardFile("page.js", script, PackageResources.page_js),
        DashboardFile("parked.js", script, PackageResources.parked_js),
        DashboardFile("rate.js", script, PackageResources.rate_js),
        DashboardFile("time.js", script, PackageResources.time_js),
    ]
}
