import Campaigns
import HTTPTypes
import HummingbirdCore
import WebServing

/// The dashboard at `/`: a page that queries the API with its user's token.
///
/// The page and its files are the same for everybody and contain nothing of the fleet, so they need no token: a browser
/// needs the page to ask for one.
enum DashboardRoutes {
    static let all: [Route<APIResponder>] = [
        Route(.get, "/", .open, "dashboard") { call, _ in answer(DashboardFile.page, call.request) },
        Route(.get, "/dashboard/{file}", .open, "dashboardFile") { call, _ in
            guard let file = DashboardFile.others.first(where: { $0.name == call.parameter("file") }) else {
                throw HTTPProblem(.notFound, "the dashboard has no such file")
            }
            return answer(file, call.request)
        },
    ]

    /// Restricts content and requests to this server (W3C Content Security Policy), and forbids framing by other pages.
    static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
        form-action 'none'; frame-ancestors 'none'
        """

    private static let policyName = HTTPField.Name("Content-Security-Policy")
    private static let referrerName = HTTPField.Name("Referrer-Policy")

    private static func answer(_ file: StaticFile, _ request: Request) -> HTTPAnswer {
        var headers: HTTPFields = [.cacheControl: "no-cache"]
        if let name = policyName { headers[name] = policy }
        if let name = referrerName { headers[name] = "no-referrer" }
        return file.answer(to: request, with: headers)
    }
}
