public import Campaigns

/// An app's account with Google: a Firebase project and a service account.
public struct FCMAccount: ProviderAccount {
    /// The app's settings.
    public let settings: FCMSettings

    /// The FCM provider.
    public var provider: any PushProvider { FCMProvider() }
    /// See `ProviderAccount`.
    public var credential: AccountCredential { .token(settings.serviceAccount.credential(keyFile: settings.keyFile)) }
    /// See `ProviderAccount`.
    public var caFile: String? { settings.caFile }
    /// The quota of the project, whichever of its service accounts sends.
    public var quota: ProviderQuota? {
        settings.perMinute.map {
            ProviderQuota(provider: provider.name, holder: settings.serviceAccount.projectID, perMinute: $0)
        }
    }
    /// See `ProviderAccount`.
    public var summary: [(name: String, value: String)] {
        let authority = caFile.map { [(name: "ca_file", value: $0)] } ?? []
        return [
            (name: "project", value: settings.serviceAccount.projectID),
            (name: "credential", value: credential.summary),
            (name: "message", value: settings.message.rawValue),
            (name: "per_minute", value: settings.perMinute.map { String($0) } ?? FCMSettings.noQuota),
            (name: "endpoint", value: settings.endpoint.url),
            (name: "token_uri", value: settings.serviceAccount.tokenEndpoint.url + settings.serviceAccount.tokenPath),
        ] + authority
    }

    /// Returns the one endpoint of FCM, which has no environments.
    public func endpoint(_ environment: PushEnvironment?) -> ProviderEndpoint { settings.endpoint }

    /// Returns the job with the app's choice between notification and data for Android, where the job makes none.
    public func completed(_ job: Job) -> Job {
        var job = job
        job.delivery.android = job.delivery.android ?? settings.message
        return job
    }

    /// Returns no findings: nothing depends on the app.
    public func check(_ job: Job) -> JobCheck { JobCheck() }

    /// Prepares `POST /v1/projects/<project>/messages:send` with the message around each device's token.
    public func requests(for facts: Shard.Facts, authorization: [UInt8]?, now: Timestamp) -> PreparedRequests {
        prepared(FCMRequest(facts, now: now), authorization)
    }

    /// Prepares the same with `validate_only`: "Flag for testing the request without actually delivering the message"
    /// (FCM v1 reference, `projects.messages.send`).
    public func validation(for facts: Shard.Facts, authorization: [UInt8]?, now: Timestamp) -> PreparedRequests? {
        prepared(FCMRequest(facts, now: now, isValidation: true), authorization)
    }

    private func prepared(_ message: FCMRequest, _ authorization: [UInt8]?) -> PreparedRequests {
        var headers = [
            RequestHeader(":method", "POST"),
            RequestHeader(":scheme", "https"),
            RequestHeader(":authority", settings.endpoint.authority),
            RequestHeader(":path", .path, .literal),
            RequestHeader("content-type", "application/json"),
        ]
        if let authorization { headers.append(RequestHeader("authorization", .constant(authorization), .never)) }
        return PreparedRequests(
            provider: provider,
            headers: headers,
            body: message.body,
            messageIDAt: message.messageIDAt,
            personal: message.personal(limits: provider.limits),
            path: Array("/v1/projects/\(settings.serviceAccount.projectID)/messages:send".utf8),
            token: .body(suffix: Array("\"}}".utf8)),
            successStatus: 200
        )
    }
}
