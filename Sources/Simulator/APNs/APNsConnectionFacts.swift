/// What APNs remembers of one connection.
struct APNsConnectionFacts {
    /// The common name of the client certificate that the connection was opened with; nil without one.
    let certificateName: String?
    /// The key that the first provider token was signed with: others must be of its kind.
    var firstKey: Int?
    /// All keys that signed its provider tokens.
    var keys: Set<Int> = []
    /// The provider token of the last request that had a good one.
    var token: ProviderToken?
    /// When the connection first showed `token`, seconds since 1970.
    var tokenSeenAt: Int64 = 0
    /// A request with a good credential has come: more than one stream is allowed from then on.
    var isAuthenticated: Bool

    init(certificateName: String? = nil) {
        self.certificateName = certificateName
        isAuthenticated = certificateName != nil
    }
}
