public import Campaigns

/// The form in the ledger and for scripts: a JSON object in which members may be missing, and unknown ones are passed
/// over, so that neighbouring versions read each other's.
extension WorkerHealth {
    /// Reads a report; what cannot be read counts as not reported.
    public init(_ json: JSONValue) {
        self.init(
            credentials: (json["credentials"]?.array ?? []).compactMap { Credential($0) },
            versions: Dictionary(
                (json["versions"]?.members ?? []).compactMap { app in app.value.string.map { (app.name, $0) } },
                uniquingKeysWith: { first, _ in first }
            )
        )
        ledger = json["ledger"].flatMap { Fault($0) }
        broker = json["broker"].flatMap { Fault($0) }
        alarmSince = json.instant("alarm_since")
        cluster = json["cluster"].map { BrokerFaults($0) }
        brokerSkew = json["broker_skew"]?.integer
        reload = json["reload"].flatMap { ReloadAnswer($0) }
        sending = json["sending"].flatMap { Sending($0) }
    }

    /// The report.
    public var json: JSONValue {
        .object([
            "ledger": ledger?.json, "broker": broker?.json, "alarm_since": alarmSince?.json,
            "cluster": cluster?.json,
            "broker_skew": brokerSkew.map { .number(JSONNumber($0)) },
            "credentials": .array(credentials.map(\.json)),
            "versions": .object(versions.sorted { $0.key < $1.key }.map { JSONMember($0.key, .string($0.value)) }),
            "reload": reload?.json, "sending": sending?.json,
        ])
    }
}

extension WorkerHealth.Sending {
    fileprivate init?(_ json: JSONValue) {
        guard let loops = json["loops"]?.integer, (1...100_000).contains(loops) else { return nil }
        let latencies = (json["answers_ms"]?.members ?? []).compactMap { answers -> (ProviderName, Double)? in
            answers.value.integer.map { (ProviderName(rawValue: answers.name), Double($0) / 1000) }
        }
        self.init(loops: Int(loops), latencies: Dictionary(latencies) { first, _ in first })
    }

    /// Answers are told in whole milliseconds: the report changes seldom, and no forecast needs more.
    fileprivate var json: JSONValue {
        .object([
            "loops": .number(JSONNumber(loops)),
            "answers_ms": .object(
                latencies.sorted { $0.key.rawValue < $1.key.rawValue }.map { provider, seconds in
                    JSONMember(provider.rawValue, .number(JSONNumber(Int((seconds * 1000).rounded()))))
                }
            ),
        ])
    }
}

extension WorkerHealth.Fault {
    fileprivate init?(_ json: JSONValue) {
        guard let since = json.instant("since") else { return nil }
        self.init(since: since, reason: json["reason"]?.string ?? "")
    }

    fileprivate var json: JSONValue { .object(["since": since.json, "reason": .string(reason)]) }
}

extension WorkerHealth.Credential {
    fileprivate init?(_ json: JSONValue) {
        guard let app = json["app"]?.string, let provider = json["provider"]?.string else { return nil }
        self.init(app: app, provider: ProviderName(rawValue: provider))
        madeAt = json.instant("made_at")
        expiresAt = json.instant("expires_at")
        acceptedAt = json.instant("accepted_at")
        refusal = json["refusal"].flatMap { WorkerHealth.Fault($0) }
    }

    fileprivate var json: JSONValue {
        .object([
            "app": .string(app), "provider": .string(provider.rawValue), "made_at": madeAt?.json,
            "expires_at": expiresAt?.json, "accepted_at": acceptedAt?.json, "refusal": refusal?.json,
        ])
    }
}

extension Timestamp {
    /// The instant as in all documents for scripts, because `status --json` passes the report on.
    fileprivate var json: JSONValue { .string(rfc3339) }
}
