import Synchronization

/// The broadcast channels of all apps: what Apple's channel management keeps.
///
/// Shared by all connections.
final class SimulatedChannels: Sendable {
    /// The messages that are kept for followers that are offline, as Apple numbers it.
    enum Storage: Int64, Sendable {
        case nothing = 0
        case mostRecent = 1
    }

    private struct Book {
        /// The channels of each bundle identifier, by their ids.
        var channels: [String: [String: Storage]] = [:]
        var given: UInt64 = 0
    }

    private let seed: UInt64
    private let most: Int
    private let book = Mutex(Book())

    /// Creates a book without channels; `most` is the greatest number for one bundle identifier.
    init(seed: UInt64, most: Int) {
        (self.seed, self.most) = (seed, most)
    }

    /// Makes a channel and returns its id; nil when the app has as many as it may.
    func make(_ storage: Storage, bundle: String) -> String? {
        book.withLock { book in
            guard book.channels[bundle, default: [:]].count < most else { return nil }
            book.given += 1
            let id = Self.id(seed: seed, number: book.given)
            book.channels[bundle, default: [:]][id] = storage
            return id
        }
    }

    /// Returns a channel's storage policy; nil for a channel that the app does not have.
    func storage(of id: String, bundle: String) -> Storage? { book.withLock { $0.channels[bundle]?[id] } }

    /// Removes a channel for good; returns false for one that the app does not have.
    func remove(_ id: String, bundle: String) -> Bool {
        book.withLock { $0.channels[bundle]?.removeValue(forKey: id) != nil }
    }

    /// The ids of an app's channels, in order.
    func ids(bundle: String) -> [String] { book.withLock { $0.channels[bundle, default: [:]].keys.sorted() } }

    /// The number of all channels.
    var count: Int { book.withLock { $0.channels.values.reduce(0) { $0 + $1.count } } }

    /// Forgets all channels.
    func reset() { book.withLock { $0.channels = [:] } }

    /// Returns 16 bytes in Base64 with padding, different for each number.
    private static func id(seed: UInt64, number: UInt64) -> String {
        let high = Mixing.mix(seed ^ number)
        let bytes = [high, Mixing.mix(high ^ seed)].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
        }
        let digits = Base64URL.encode(bytes).map { digit in
            switch digit {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: digit
            }
        }
        return String(decoding: digits, as: UTF8.self) + "=="
    }
}
