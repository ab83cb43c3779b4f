/// A stored job that cannot be read: a newer version wrote it, or someone changed it by hand.
public struct StoredJobError: Error, Sendable, CustomStringConvertible {
    /// The decoder's problems.
    public let problems: [Problem]

    /// One line for people.
    public var description: String {
        let first = problems.first.map { "\($0.pointer): \($0.detail)" } ?? "no problem was given"
        return "the ledger holds a job that this version cannot read (\(first)); run the version that wrote it"
    }
}

extension Job {
    /// Returns the bytes by which two jobs are the same: normalized, members sorted, without `created_at` and
    /// `metadata`.
    ///
    /// Default values are left out, so that fields of later versions do not change a job's identity.
    public func canonicalJSON() -> [UInt8] {
        var members = encodedMembers()
        members.append(JSONMember("audience", encodedAudience(withoutDevices: false, upload: upload)))
        return JSONWriter.bytes(.object(members), sortedKeys: true)
    }

    /// Returns the bytes that the ledger stores; ``init(stored:)`` reads them back.
    ///
    /// They have no `upload`, which the ledger keeps beside them while it is awaited: an earlier version, which does
    /// not know the field, can plan the campaign afterwards.
    ///
    /// - Parameter withoutDevices: Leaves the inline devices out, which the ledger stores as a list.
    public func storedJSON(withoutDevices: Bool = true) -> [UInt8] {
        var members = encodedMembers()
        if let createdAt { members.append(JSONMember("created_at", .string(createdAt.rfc3339))) }
        if !metadata.isEmpty { members.append(JSONMember("metadata", Job.object(metadata))) }
        members.append(JSONMember("audience", encodedAudience(withoutDevices: withoutDevices)))
        return JSONWriter.bytes(.object(members))
    }

    /// Reads the output of ``storedJSON(withoutDevices:)``; omitted devices come back as an empty audience.
    public init(stored bytes: [UInt8]) throws(StoredJobError) {
        // The limit exceeds that of a received job: escapes and default spellings can add a little.
        let reading = JSONReader.read(bytes, limits: JSONReader.Limits(bytesMax: 64 << 20, depthMax: 17))
        let log = ProblemLog(reading.problems)
        let draft = reading.value.flatMap { JobDraft($0, at: .root, .stored, log) }
        guard log.isEmpty, let job = draft?.job else { throw StoredJobError(problems: log.all) }
        self = job
    }

    private func encodedAudience(withoutDevices: Bool, upload: String? = nil) -> JSONValue {
        var members = [audience.encoded(withoutDevices: withoutDevices)]
        if let exclude { members.append(JSONMember("exclude", .object([exclude.encoded(withoutDevices: false)]))) }
        if let atMost { members.append(JSONMember("at_most", .number(JSONNumber(atMost)))) }
        if let upload { members.append(JSONMember("upload", .string(upload))) }
        return .object(members)
    }

    /// Returns all members except `created_at`, `metadata` and `audience`, in the contract's form.
    private func encodedMembers() -> [JSONMember] {
        var members = [JSONMember("id", .string(id)), JSONMember("app", .string(app))]
        if kind != .notification { members.append(JSONMember("kind", .string(kind.rawValue))) }
        if let name { members.append(JSONMember("name", .string(name))) }
        if !tags.isEmpty { members.append(JSONMember("tags", .array(tags.map(JSONValue.string)))) }
        members.append(JSONMember("content", content.encoded))
        let delivery = delivery.encoded(pushType: effectivePushType, priority: effectivePriority)
        if delivery != .object([JSONMember]()) { members.append(JSONMember("delivery", delivery)) }
        return members
    }

    /// Returns a dictionary as an object with sorted members.
    static func object(_ pairs: [String: String]) -> JSONValue {
        .object(
            pairs.map { JSONMember($0.key, .string($0.value)) }
                .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        )
    }
}

extension Audience {
    fileprivate func encoded(withoutDevices: Bool) -> JSONMember {
        let value: JSONValue =
            switch self {
            case .devices(let devices): .array(withoutDevices ? [] : devices.map(\.encoded))
            case .list(let name, let version): .string(version.map { name + "@" + $0 } ?? name)
            case .users(let users): .array(users.map(JSONValue.string))
            case .segment(let segment): .string(segment.text)
            case .everyone: true
            case .channel(let name): .string(name)
            case .activity(let name): .object(["type": .string(name.type), "id": .string(name.id)])
            }
        return JSONMember(selector, value)
    }
}

extension Device {
    /// The device in the contract's form, without fields that are not given.
    public var encoded: JSONValue {
        .object([
            "token": .string(token),
            "provider": provider == .apns ? nil : .string(provider.rawValue),
            "environment": environment.map { .string($0.rawValue) },
            "id": id.map(JSONValue.string),
            "locale": locale.map(JSONValue.string),
            "time_zone": timeZone.map(JSONValue.string),
            "variables": variables.isEmpty ? nil : Job.object(variables),
        ])
    }
}

extension Content {
    fileprivate var encoded: JSONValue {
        .object([
            "title": title.map(JSONValue.string),
            "subtitle": subtitle.map(JSONValue.string),
            "body": body.map(JSONValue.string),
            "title_loc_key": titleLocKey.map(JSONValue.string),
            "title_loc_args": titleLocArgs.encodedUnlessEmpty,
            "subtitle_loc_key": subtitleLocKey.map(JSONValue.string),
            "subtitle_loc_args": subtitleLocArgs.encodedUnlessEmpty,
            "loc_key": locKey.map(JSONValue.string),
            "loc_args": locArgs.encodedUnlessEmpty,
            "launch_image": launchImage.map(JSONValue.string),
            "url": url.map(JSONValue.string),
            "media_url": mediaURL.map(JSONValue.string),
            "category": category.map(JSONValue.string),
            "layout": layout.map(JSONValue.string),
            "actions": actions.isEmpty ? nil : .array(actions.map(\.encoded)),
            "badge": (badgeTemplate ?? badgeStep?.rawValue).map(JSONValue.string)
                ?? badge.map { .number(JSONNumber($0)) },
            "sound": sound.map(\.encoded),
            "thread_id": threadID.map(JSONValue.string),
            "interruption_level": interruptionLevel.map(JSONValue.string),
            "relevance_score": relevanceScore.map(JSONValue.number),
            "target_content_id": targetContentID.map(JSONValue.string),
            "filter_criteria": filterCriteria.map(JSONValue.string),
            "content_available": contentAvailable ? true : nil,
            "mutable_content": mutableContent ? true : nil,
            "data": data.isEmpty ? nil : .object(data),
            "live_activity": liveActivity.map(\.encoded),
            "rich": rich?.encoded,
            "announcement": announcement?.encoded,
            "poll": poll?.encoded,
            "data_push": dataPush?.encoded,
            "in_app": inApp?.encoded,
            "apns": apns,
            "fcm": fcm,
            "localizations": localizations.isEmpty
                ? nil : .object(localizations.map { JSONMember($0.locale, $0.content.encoded) }),
        ])
    }
}

extension ActionLink {
    fileprivate var encoded: JSONValue { .object(["id": .string(id), "url": .string(url)]) }
}

extension Sound {
    fileprivate var encoded: JSONValue {
        guard critical else { return .string(name) }
        return .object(["name": .string(name), "critical": true, "volume": volume.map(JSONValue.number)])
    }
}

extension LiveActivity {
    fileprivate var encoded: JSONValue {
        .object([
            "event": .string(event),
            "content_state": contentState,
            "timestamp": .number(JSONNumber(timestamp)),
            "stale_date": staleDate.map { .number(JSONNumber($0)) },
            "dismissal_date": dismissalDate.map { .number(JSONNumber($0)) },
            "attributes_type": attributesType.map(JSONValue.string),
            "attributes": attributes,
        ])
    }
}

extension Repetition {
    fileprivate var encoded: JSONValue {
        let end: String? =
            switch until {
            case .at(let instant): instant.rfc3339
            case .local(let reading): reading.text
            case nil: nil
            }
        return .object([
            "cron": .string(cron), "time_zone": .string(timeZone), "until": end.map(JSONValue.string),
        ])
    }
}

extension DeliveryOptions {
    /// Encodes with the resolved push type and priority, so that a job that spells out a default stays the same job.
    fileprivate func encoded(pushType: PushType, priority: Priority) -> JSONValue {
        var end: String?
        var seconds: Int?
        switch expiry {
        case .none: break
        case .at(let instant): end = instant.rfc3339
        case .atLocal(let local): end = local.text
        case .ttl(let ttl): seconds = ttl
        }
        let isStandardPriority = priority == PushRules.priority(nil, of: pushType)
        return .object([
            "push_type": pushType == .alert ? nil : .string(pushType.rawValue),
            "priority": isStandardPriority ? nil : .string(priority.rawValue),
            "urgency": policy.urgency == .bulk ? nil : .string(policy.urgency.rawValue),
            "send_at": (localSendAt?.text ?? sendAt?.rfc3339).map(JSONValue.string),
            "local_time": localSendAt == nil && repetition?.isLocal != true ? nil : true,
            "quiet_hours": quietHours.map {
                .object(["from": .string(QuietHours.text($0.from)), "to": .string(QuietHours.text($0.to))])
            },
            "repeat": repetition?.encoded,
            "hold": hold ? true : nil,
            "expires_at": end.map(JSONValue.string),
            "ttl": seconds.map { .number(JSONNumber($0)) },
            "if_offline": policy.dropIfOffline ? "drop" : nil,
            "collapse_id": collapseID.map(JSONValue.string),
            "supersede": supersede ? nil : false,
            "max_attempts": policy.maxAttempts == DeliveryPolicy().maxAttempts
                ? nil : .number(JSONNumber(policy.maxAttempts)),
            "on_unknown": policy.dropUnknown ? "drop" : nil,
            "android": android.map { .string($0.rawValue) },
            "per_second": perSecond.map { .number(JSONNumber($0)) },
            "ramp_up": rampUp == 0 ? nil : .number(JSONNumber(rampUp)),
            "frequency_cap": frequencyCap == .respect ? nil : .string(frequencyCap.rawValue),
            "show": show == .any ? nil : .string(show.rawValue),
            "in_app": inApp?.encoded,
        ])
    }
}

extension [String] {
    /// The array as JSON; nil if it is empty.
    fileprivate var encodedUnlessEmpty: JSONValue? { isEmpty ? nil : .array(map(JSONValue.string)) }
}
