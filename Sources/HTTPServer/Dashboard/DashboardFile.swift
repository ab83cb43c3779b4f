import WebServing

/// The files of the dashboard, compiled in.
enum DashboardFile {
    /// The HTML page.
    static let page = StaticFile("index.html", "text/html; charset=utf-8", PackageResources.index_html)

    /// The files that the page loads.
    static let others = [
        StaticFile("api.js", StaticFile.script, PackageResources.api_js),
        StaticFile("campaign.js", StaticFile.script, PackageResources.campaign_js),
        StaticFile("chart.js", StaticFile.script, PackageResources.chart_js),
        StaticFile("compare.js", StaticFile.script, PackageResources.compare_js),
        StaticFile("dashboard.css", "text/css; charset=utf-8", PackageResources.dashboard_css),
        StaticFile("events.js", StaticFile.script, PackageResources.events_js),
        StaticFile("fleet.js", StaticFile.script, PackageResources.fleet_js),
        StaticFile("icon.svg", "image/svg+xml", PackageResources.icon_svg),
        StaticFile("list.js", StaticFile.script, PackageResources.list_js),
        StaticFile("main.js", StaticFile.script, PackageResources.main_js),
        StaticFile("orders.js", StaticFile.script, PackageResources.orders_js),
        StaticFile("outcomes.js", StaticFile.script, PackageResources.outcomes_js),
        StaticFile("page.js", StaticFile.script, PackageResources.page_js),
        StaticFile("parked.js", StaticFile.script, PackageResources.parked_js),
        StaticFile("rate.js", StaticFile.script, PackageResources.rate_js),
        StaticFile("time.js", StaticFile.script, PackageResources.time_js),
    ]
}
