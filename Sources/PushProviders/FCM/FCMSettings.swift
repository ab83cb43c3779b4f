public import Campaigns

/// An app's `fcm` block of `apps.yaml` (contract, section 4).
public struct FCMSettings: Hashable, Sendable {
    /// The project and the account that sends for it.
    public var serviceAccount: ServiceAccount
    /// The file with the service account's key.
    public var keyFile: String
    /// The requests per minute that the project may make, 1 … 100,000,000; nil: a private gateway without a limit.
    public var perMinute: Int?
    /// The form of a message for Android where a job names none.
    public var message: DeliveryOptions.AndroidMessage
    /// Google's host, or a private gateway.
    public var endpoint: ProviderEndpoint
    /// The file with the gateway's root certificates; nil for the system's.
    public var caFile: String?

    /// `fcm.googleapis.com:443` (C2).
    public static let google = ProviderEndpoint(host: "fcm.googleapis.com")
    /// Google's default quota of a project (C2).
    public static let perMinuteOfGoogle = 600_000

    /// The value of `per_minute` for a private gateway without a quota.
    public static let noQuota = "none"

    /// The keys of the block, in the order of the contract.
    public static let keys = ["service_account_file", "per_minute", "message", "endpoint", "ca_file"]

    /// Reads the block; throws all problems at once, with pointers relative to the block.
    init(_ block: [String: String], file: (String) -> [UInt8]?) throws(SettingsRefused) {
        var problems = SettingsProblems.unknown(block, of: "fcm", keys: Self.keys)
        let account = Self.account(block, file, &problems)
        perMinute = Self.perMinute(block, &problems)
        message = Self.message(block, &problems)
        endpoint = SettingsProblems.endpoint(block, of: "fcm", &problems) ?? Self.google
        caFile = block["ca_file"]
        guard problems.isEmpty, let account else { throw SettingsRefused(problems: problems) }
        (serviceAccount, keyFile) = account
    }

    private static func account(
        _ block: [String: String],
        _ file: (String) -> [UInt8]?,
        _ problems: inout [Problem]
    ) -> (ServiceAccount, String)? {
        let pointer = "/service_account_file"
        guard let name = block["service_account_file"], !name.isEmpty else {
            problems.append(
                Problem(
                    pointer: pointer,
                    code: .required,
                    detail: "fcm has no service_account_file",
                    fix: "give the JSON file that Google's console makes for a key of a service account"
                )
            )
            return nil
        }
        guard let bytes = file(name) else {
            problems.append(
                Problem(
                    pointer: pointer,
                    code: .value,
                    detail: "the file cannot be read",
                    fix: "look at its path and rights"
                )
            )
            return nil
        }
        do throws(ServiceAccount.Refusal) {
            return (try ServiceAccount(bytes), name)
        } catch {
            problems.append(Problem(pointer: pointer, code: .value, detail: error.detail, fix: error.fix))
            return nil
        }
    }

    private static func perMinute(_ block: [String: String], _ problems: inout [Problem]) -> Int? {
        guard let text = block["per_minute"] else { return perMinuteOfGoogle }
        if text == noQuota, block["endpoint"] != nil { return nil }
        if let number = Int(text), (1...100_000_000).contains(number) { return number }
        problems.append(
            Problem(
                pointer: "/per_minute",
                code: .value,
                detail: "per_minute is \(text)",
                fix: "a whole number from 1 to 100000000; Google's quota is 600000 unless it gave the project another "
                    + "(none only with an endpoint: a private gateway)"
            )
        )
        return perMinuteOfGoogle
    }

    private static func message(
        _ block: [String: String],
        _ problems: inout [Problem]
    ) -> DeliveryOptions.AndroidMessage {
        guard let word = block["message"] else { return .notification }
        if let message = DeliveryOptions.AndroidMessage(rawValue: word) { return message }
        problems.append(
            Problem(
                pointer: "/message",
                code: .value,
                detail: "message is \(word)",
                fix: "notification or data"
            )
        )
        return .notification
    }
}
