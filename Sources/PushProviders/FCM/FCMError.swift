import Campaigns

/// Google's error object (`google.rpc.Status` in JSON, with the details that FCM adds).
///
/// It is read completely and strictly, because its message may quote our request; nil for anything else.
struct FCMError {
    /// FCM's own error code, from `google.firebase.fcm.v1.FcmError`.
    let code: String?
    /// Google's general status, for example `NOT_FOUND`.
    let status: String?
    /// The wrong field: the first that `google.rpc.BadRequest` names, or the token where Google's message says so.
    let field: String?
    /// The quota that `google.rpc.QuotaFailure` names; nil when there is no such detail.
    let quota: Quota?
    /// The seconds of `google.rpc.RetryInfo`, rounded up.
    let retryDelay: Int?

    /// Google's exact message, without any detail, for an invalid token.
    private static let invalidToken = "The registration token is not a valid FCM registration token"

    /// Google's quotas.
    enum Quota: Equatable {
        /// Messages per minute of the project.
        case project
        /// Messages to one device.
        case device
        /// Messages to one topic.
        case topic

        /// The reason that the ledger keeps.
        var reason: String {
            switch self {
            case .project: "QUOTA_EXCEEDED project"
            case .device: "QUOTA_EXCEEDED device"
            case .topic: "QUOTA_EXCEEDED topic"
            }
        }
    }

    init?(_ body: Span<UInt8>) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(body.count)
        for index in body.indices { bytes.append(body[index]) }
        let reading = JSONReader.read(bytes)
        guard reading.problems.isEmpty, let error = reading.value?["error"], error.members != nil else { return nil }
        status = error["status"]?.string
        let details = error["details"]?.array ?? []
        func detail(_ name: String) -> JSONValue? {
            details.first { $0["@type"]?.string == "type.googleapis.com/\(name)" }
        }
        code = detail("google.firebase.fcm.v1.FcmError")?["errorCode"]?.string
        let isToken = error["message"]?.string == Self.invalidToken
        field =
            detail("google.rpc.BadRequest")?["fieldViolations"]?.array?.first?["field"]?.string
            ?? (isToken ? "message.token" : nil)
        quota = detail("google.rpc.QuotaFailure").map(Self.quota)
        retryDelay = detail("google.rpc.RetryInfo")?["retryDelay"]?.string.flatMap(Self.seconds)
    }

    /// Reads the quota from Google's words in the subject or the description of a violation.
    private static func quota(_ failure: JSONValue) -> Quota {
        let words = (failure["violations"]?.array ?? []).flatMap { violation in
            ["subject", "description", "quotaId", "quotaMetric"].compactMap { violation[$0]?.string?.lowercased() }
        }
        if words.contains(where: { $0.contains("device") }) { return .device }
        return words.contains { $0.contains("topic") } ? .topic : .project
    }

    /// Reads a `google.protobuf.Duration` in JSON: seconds with up to nine decimals and an `s`.
    private static func seconds(_ text: String) -> Int? {
        guard text.hasSuffix("s") else { return nil }
        let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }),
            let whole = Int(parts[0])
        else { return nil }
        let isMore = parts.count == 2 && parts[1].utf8.contains { $0 != 48 }
        return min(whole, RetryAfter.secondsMax - 1) + (isMore ? 1 : 0)
    }
}
