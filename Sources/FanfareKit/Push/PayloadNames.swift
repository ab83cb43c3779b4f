import Foundation

/// The app's own names for fields that otherwise are in the `fanfare` object (`payload_names` of the server).
struct PayloadNames: Codable, Sendable, Equatable {
    /// The fields that may have a name of the app's own, in the server's words.
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

    /// The app's names by the server's words.
    var names: [String: String]

    init(_ names: [String: String] = [:]) {
        self.names = names.filter { !$0.value.isEmpty }
    }

    subscript(member: Member) -> String? { names[member.rawValue] }

    /// Returns these names, completed by others.
    func or(_ others: PayloadNames) -> PayloadNames { PayloadNames(names.merging(others.names) { mine, _ in mine }) }
}

/// The currently known names, for all readers of pushes; may be used from any thread.
///
/// Safety: the lock guards all mutable state.
final class KnownNames: @unchecked Sendable {
    static let file = "payload-names.json"

    /// The names in the kit's folder, for the next start and for the app's extensions.
    struct Kept: Codable, Equatable {
        /// The names from the app's options.
        var given = PayloadNames()
        /// The names from the server, which take precedence.
        var told = PayloadNames()

        var names: PayloadNames { told.or(given) }

        static func read(_ folder: URL) -> Kept {
            guard let data = try? Data(contentsOf: folder.appendingPathComponent(file)) else { return Kept() }
            return (try? JSONDecoder().decode(Kept.self, from: data)) ?? Kept()
        }
    }

    private let lock = NSLock()
    private var kept: Kept

    /// Loads the stored names, and replaces the app's part with those of its options.
    init(_ folder: URL, given: [String: String]) {
        kept = Kept.read(folder)
        kept.given = PayloadNames(given)
    }

    var names: PayloadNames { lock.withLock { kept.names } }

    /// The names to store.
    var all: Kept { lock.withLock { kept } }

    /// Takes the names that the server sent.
    func tell(_ names: PayloadNames) { lock.withLock { kept.told = names } }
}
