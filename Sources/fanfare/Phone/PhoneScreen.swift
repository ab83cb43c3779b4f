import Campaigns
import Foundation

/// What lasts of a phone while its app does not run: its token, and the notifications on its screen.
struct PhoneScreen: Codable, Equatable {
    /// A notification.
    struct Notification: Codable, Equatable {
        let number: Int
        /// The JSON that the app gets.
        let payload: String
        let displayKey: String?
        /// What one of the phone's own says; nil: what the push says.
        let own: Texts?
    }

    /// What a notification says.
    struct Texts: Codable, Equatable {
        let title: String?
        let body: String?
    }

    /// The token of APNs, made up when the phone was.
    let token: String
    /// The oldest first.
    private(set) var notifications: [Notification] = []
    var badge = 0
    private var next = 1

    /// A new phone.
    init(token: String) {
        self.token = token
    }

    /// A notification arrives and takes the place of one with the same key; its number.
    mutating func add(payload: String, displayKey: String?, own: Texts? = nil) -> Int {
        if let displayKey { notifications.removeAll { $0.displayKey == displayKey } }
        notifications.append(Notification(number: next, payload: payload, displayKey: displayKey, own: own))
        next += 1
        return next - 1
    }

    /// The notification of a number, without one the newest.
    func notification(_ number: Int?) -> Notification? {
        guard let number else { return notifications.last }
        return notifications.first { $0.number == number }
    }

    /// It is gone from the screen.
    mutating func remove(_ number: Int) { notifications.removeAll { $0.number == number } }

    /// All of them are gone from the screen.
    mutating func clear() { notifications = [] }
}

/// The folder of a phone.
struct PhoneFolder {
    let path: String

    /// Where the kit keeps what it keeps.
    var kit: URL { URL(fileURLWithPath: path + "/kit", isDirectory: true) }

    private var file: URL { URL(fileURLWithPath: path + "/phone.json") }

    /// The phone that lives here, or a new one with a token of its own.
    func screen() throws -> PhoneScreen {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            if FileManager.default.fileExists(atPath: file.path) {
                return try JSONDecoder().decode(PhoneScreen.self, from: Data(contentsOf: file))
            }
            let screen = PhoneScreen(token: HexText.of((0..<32).map { _ in UInt8.random(in: 0 ... .max) }))
            try keep(screen)
            return screen
        } catch {
            throw CommandFailure(
                .failed,
                "the folder \(path) cannot be used for a phone: \(error.localizedDescription)"
            )
        }
    }

    /// Keeps it; who is killed meanwhile finds the old one or the new one.
    func keep(_ screen: PhoneScreen) throws { try JSONEncoder().encode(screen).write(to: file, options: .atomic) }
}
