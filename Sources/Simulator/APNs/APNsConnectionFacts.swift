/// APNs' state of one connection.
struct APNsConnectionFacts {
    /// The common name of the client certificate that opened the connection; nil without one.
    let certificateName: String?
    /// The key that signed the first provider token; later keys must be of its kind.
    var firstKey: Int?
    /// All keys that signed the connection's provider tokens.
    var keys: Set<Int> = []
    /// The provider token of the last request with a valid one.
    var token: ProviderToken?
    /// The time at which the connection first showed `token`, in seconds since 1970.
    var tokenSeenAt: Int64 = 0
    /// True once a request with a valid credential came: more than one stream is allowed from then on.
    var isAuthenticated: Bool

    init(certificateName: String? = nil) {
        self.certificateName = certificateName
        isAuthenticated = certificateName != nil
    }
}
