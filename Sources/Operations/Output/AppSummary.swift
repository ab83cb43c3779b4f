package import Campaigns
import PushProviders
import Settings

extension AppConfiguration {
    /// The epochs of the app's message keys; nil when it has none.
    package var keysJSON: JSONValue? {
        messageKeys.map { .array($0.epochs.map { .number(JSONNumber($0)) }) }
    }

    /// The facts of an app that may be shown: names and ids of its accounts, never a key.
    package var summaryJSON: JSONValue {
        let accounts = accounts.map(\.account).map { account in
            JSONMember(
                account.provider.name.rawValue,
                .object(account.summary.map { JSONMember($0.name, .string($0.value)) })
            )
        }
        let keys = keysJSON.map { JSONMember("message_key_epochs", $0) }
        return .object([JSONMember("app", .string(name))] + accounts + [keys].compactMap(\.self))
    }
}
