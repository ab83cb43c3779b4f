import Campaigns

/// The rule for push types that only Apple has, such as live activities and calls.
enum PushTypeRule {
    /// Returns the problem of a job with a provider that only shows alerts and wakes apps; nil for none.
    static func problem(_ job: Job, _ provider: ProviderName) -> Problem? {
        let type = job.effectivePushType
        guard ![.alert, .background].contains(type) else { return nil }
        return Problem(
            pointer: "/delivery/push_type",
            code: .conflict,
            detail: "push type \(type.rawValue) is Apple's alone, and the audience may have devices of "
                + provider.rawValue,
            fix: fix(job)
        )
    }

    /// Returns the way to limit the audience to Apple's devices, in the terms of the job.
    private static func fix(_ job: Job) -> String? {
        switch job.audience {
        case .devices: "leave out the devices that are not apns"
        case .list: "send it to a list of apns devices only"
        case .segment(let segment) where segment.text.contains("||"):
            #"give segment as "provider == apns && (…)", with the present one in the parentheses"#
        case .segment: #"give segment as "provider == apns && …", with the present one behind it"#
        case .everyone: #"give "segment": "provider == apns" in place of everyone"#
        case .users: #"give "exclude": {"segment": "provider != apns"}"#
        case .channel, .activity: nil
        }
    }
}
