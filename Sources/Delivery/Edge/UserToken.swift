import Campaigns
import PushProviders

/// A JSON Web Token (RFC 7519) in which an app's back end names a device's user; pure.
///
/// Reading trusts nothing: the caller looks up the key, has the signature verified, and then calls `fault`.
public struct UserToken: Sendable {
    /// The signature's algorithm.
    public let algorithm: Algorithm
    /// The id of the key that signed it, `kid`; nil if the token has none.
    public let keyID: String?
    /// The signed bytes: the first two parts as they came, with the dot between them.
    public let signed: [UInt8]
    /// The signature's bytes.
    public let signature: [UInt8]
    /// The token's subject, `sub`.
    public let subject: String?
    private let audience: [String]
    private let expiresAt: Double?
    private let notBefore: Double?

    /// The accepted algorithms: signatures by a private key only, so that the edge holds nothing that could make a
    /// token.
    public enum Algorithm: String, Sendable, CaseIterable {
        /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518, 3.3).
        case rs256 = "RS256"
        /// ECDSA with P-256 and SHA-256 (RFC 7518, 3.4).
        case es256 = "ES256"
        /// Ed25519 (RFC 8037, 3.1).
        case edDSA = "EdDSA"
    }

    /// The reason why a token is rejected; fit to be told to the client.
    public struct Fault: Error, Equatable {
        /// The token's defect.
        public let detail: String

        /// A fault.
        public init(_ detail: String) { self.detail = detail }
    }

    /// The largest size of a token, in bytes.
    public static let bytesMax = 8192
    /// The tolerated difference between the clocks of back end and edge, in seconds.
    public static let leeway = 60.0

    /// Parses a token in the compact form of RFC 7515.
    public init(_ text: some StringProtocol) throws(Fault) {
        guard text.utf8.count <= Self.bytesMax else { throw Fault("it has more than \(Self.bytesMax) bytes") }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw Fault("it is not three parts of base64url with dots between, the first two JSON objects") }
        let name = header["alg"]?.string ?? ""
        guard let algorithm = Algorithm(rawValue: name) else {
            let names = Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw Fault("its alg is none of \(names)")
        }
        guard header["crit"] == nil else { throw Fault("its header has crit, and no extension is known here") }
        self.algorithm = algorithm
        self.signature = signature
        keyID = header["kid"]?.string
        signed = Array(parts[0]) + [UInt8(ascii: ".")] + Array(parts[1])
        subject = claims["sub"]?.string
        audience =
            switch claims["aud"] {
            case .string(let one): [one]
            case .array(let several): several.compactMap(\.string)
            default: []
            }
        expiresAt = try Self.instant(claims, "exp")
        notBefore = try Self.instant(claims, "nbf")
    }

    /// The reason why the token does not prove that this user of the app uses the device now; nil if it does.
    ///
    /// `now` is in seconds since the epoch.
    public func fault(app: String, user: String, now: Double) -> Fault? {
        guard let expiresAt else { return Fault("it has no exp") }
        if now >= expiresAt + Self.leeway { return Fault("it has expired") }
        if let notBefore, now + Self.leeway < notBefore { return Fault("it is not valid yet (nbf)") }
        guard audience.contains(app) else { return Fault("its aud is not the app \(app)") }
        guard let subject, subject == user else { return Fault("its sub is not the user of the registration") }
        return nil
    }

    private static func object(_ part: some Collection<UInt8>) -> JSONValue? {
        guard let bytes = Base64URL.decode(part) else { return nil }
        let reading = JSONReader.read(bytes)
        guard reading.problems.isEmpty, let value = reading.value, case .object = value else { return nil }
        return value
    }

    /// A claim in seconds since the epoch (NumericDate, RFC 7519, section 2).
    private static func instant(_ claims: JSONValue, _ name: String) throws(Fault) -> Double? {
        guard let value = claims[name] else { return nil }
        guard case .number(let number) = value, let seconds = number.double, seconds.isFinite else {
            throw Fault("its \(name) is not a number")
        }
        return seconds
    }
}
