import Campaigns
import WebServing

/// The sender of a request.
struct Caller: Sendable, Equatable {
    /// The token's name, for histories and logs.
    let name: String
    let role: Role
    /// The apps that the token is for; nil for all of them.
    let apps: Set<String>?

    /// Anybody on this host, when there are no tokens.
    static let local = Caller(name: "local", role: .admin, apps: nil)
    /// The sender of a request to an open route, such as a probe.
    static let nobody = Caller(name: "nobody", role: .viewer, apps: [])

    func mayUse(_ app: String) -> Bool { apps?.contains(app) ?? true }

    /// Throws 404 unless the token is for the app: of other apps it learns nothing, not even that they exist.
    func require(app: String) throws(HTTPProblem) {
        guard mayUse(app) else { throw HTTPProblem(.notFound, "there is no app \(NameRule.shown(app))") }
    }

    /// Throws 403 unless the role is `least` or higher.
    func require(_ least: Role) throws(HTTPProblem) {
        guard role >= least else {
            throw HTTPProblem(.forbidden, "this needs the role \(least.rawValue); the token has \(role.rawValue)")
        }
    }
}
