import HTTPTypes
import WebServing

/// Answers to pages of other origins (Fetch, section 3.2: the CORS protocol); no I/O.
enum CrossOrigin {
    private static let allowOrigin = HTTPField.Name("Access-Control-Allow-Origin")
    private static let allowMethods = HTTPField.Name("Access-Control-Allow-Methods")
    private static let allowHeaders = HTTPField.Name("Access-Control-Allow-Headers")
    private static let exposeHeaders = HTTPField.Name("Access-Control-Expose-Headers")
    private static let maxAge = HTTPField.Name("Access-Control-Max-Age")
    private static let requestMethod = HTTPField.Name("Access-Control-Request-Method")

    /// The fields of an answer that a page of `origin` may read.
    ///
    /// Credentials of the browser are never asked for: callers show their own.
    static func fields(_ origin: String) -> HTTPFields {
        fields([
            (allowOrigin, origin), (exposeHeaders, "ETag, Retry-After, X-Request-ID"), (.vary, "Origin"),
        ])
    }

    /// Returns true for a browser's question if a page may send a request.
    static func isPreflight(_ head: HTTPRequest) -> Bool {
        head.method == .options && head.headerFields[.origin] != nil
            && requestMethod.flatMap { head.headerFields[$0] } != nil
    }

    /// Returns the answer that permits requests with `methods`; a browser remembers it for two hours.
    static func preflight(_ methods: [HTTPRequest.Method]) -> HTTPAnswer {
        HTTPAnswer(
            .noContent,
            headers: fields([
                (allowMethods, methods.map(\.rawValue).joined(separator: ", ")),
                (allowHeaders, "Authorization, Content-Type, Fanfare-Message, Fanfare-User, If-None-Match"),
                (maxAge, "7200"),
            ])
        )
    }

    private static func fields(_ pairs: [(name: HTTPField.Name?, value: String)]) -> HTTPFields {
        var fields = HTTPFields()
        for pair in pairs { if let name = pair.name { fields[name] = pair.value } }
        return fields
    }
}
