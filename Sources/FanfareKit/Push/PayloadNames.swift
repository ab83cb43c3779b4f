import Foundation

/// The names under which an app's pushes carry what the `fanfare` object has otherwise (`payload_names` of the server).
struct PayloadNames: Codable, Sendable, Equatable {
    /// What may have a name of the app's own, in the server's words.
    enum Member: String, CaseIterable {
        case messageID = "message_id"
        case campaign = "delivery_id"
        case kind
        case url
        case richID = "rich_id"
        case richType = "rich_type"
        case media
        case message
        case richMessage = "rich_message"
    }

    /// By the server's words.
    var names: [String: String]

    init(_ names: [String: String] = [:]) {
        self.names = names.filter { !$0.value.isEmpty }
    }

    subscript(member: Member) -> String? { names[member.rawValue] }

    /// These, and the app's where these say nothing.
    func or(_ others: PayloadNames) -> PayloadNames { PayloadNames(names.merging(others.names) { mine, _ in mine }) }
}

/// The names that are known at present, for whoever reads a push; may be used from any thread.
///
/// Safety: what changes is behind the lock.
final class KnownNames: @unchecked Sendable {
    static let file = "payload-names.json"

    /// What lies in the kit's folder, for the next start and for the app's extensions.
    struct Kept: Codable, Equatable {
        /// What the app said.
        var given = PayloadNames()
        /// What the server said, which knows best.
        var told = PayloadNames()

        var names: PayloadNames { told.or(given) }

        static func read(_ folder: URL) -> Kept {
            guard let data = try? Data(contentsOf: folder.appendingPathComponent(file)) else { return Kept() }
            return (try? JSONDecoder().decode(Kept.self, from: data)) ?? Kept()
        }
    }

    private let lock = NSLock()
    private var kept: Kept

    /// What is kept in the kit's folder, and what the app's options say.
    init(_ folder: URL, given: [String: String]) {
        kept = Kept.read(folder)
        kept.given = PayloadNames(given)
    }

    var names: PayloadNames { lock.withLock { kept.names } }

    /// What is to be kept.
    var all: Kept { lock.withLock { kept } }

    /// The server said which names the app has.
    func tell(_ names: PayloadNames) { lock.withLock { kept.told = names } }
}
