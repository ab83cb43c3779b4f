import Campaigns
import Delivery
import HTTPTypes
import WebServing

/// Decides who sent a request; no I/O, no clock.
struct Gate: Sendable {
    /// The tokens; nil when there is no token file and everybody on this host may do everything.
    let tokens: AccessTokens?

    /// The fields of a request that tell its sender.
    struct Claim: Sendable {
        /// The field `authorization`.
        var authorization: String?
        /// The field `host`, or `:authority`.
        var host: String?
        /// The field `origin`, which browsers send.
        var origin: String?
    }

    /// Returns the sender of a request.
    ///
    /// Throws 401 without a known, unexpired token, and 403 when a page of another origin made a browser send it.
    func caller(_ claim: Claim, now: Timestamp) throws(HTTPProblem) -> Caller {
        try refuseForeignPage(claim)
        guard let tokens else { return .local }
        guard let token = BearerToken.read(claim.authorization) else {
            throw Self.unauthorized("an access token is needed: Authorization: Bearer TOKEN")
        }
        guard let caller = tokens.caller(token: token, now: now) else {
            throw Self.unauthorized("this access token is unknown or has expired")
        }
        return caller
    }

    /// Returns a check of a caller's access at a later time: a token may expire or be revoked while it is used.
    func recheck(_ caller: Caller, authorization: String?) -> @Sendable (_ now: Timestamp) -> Bool {
        guard let tokens, let token = BearerToken.read(authorization) else { return { _ in true } }
        let hash = NewAccessToken.hash(token)
        return { now in tokens.caller(hash: hash, now: now) == caller }
    }

    /// Refuses browser requests on behalf of other pages.
    ///
    /// Without tokens any page open in a browser on this host could give orders: by a request to another origin, or by
    /// a name that suddenly resolves to this host (DNS rebinding).
    private func refuseForeignPage(_ claim: Claim) throws(HTTPProblem) {
        if let origin = claim.origin, origin != "null" || tokens == nil {
            let authority = origin.firstRange(of: "://").map { String(origin[$0.upperBound...]) }
            guard authority == claim.host else {
                throw HTTPProblem(.forbidden, "a page of another origin may not use this API")
            }
        }
        guard tokens == nil else { return }
        guard let host = claim.host, Loopback.isLoopback(authority: host) else {
            throw HTTPProblem(
                .forbidden,
                "without access tokens the API is for this host only: ask 127.0.0.1 or localhost"
            )
        }
    }

    private static func unauthorized(_ detail: String) -> HTTPProblem {
        HTTPProblem(.unauthorized, detail, headers: [.wwwAuthenticate: "Bearer realm=\"fanfare\""])
    }
}
