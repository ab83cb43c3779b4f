import Campaigns
import Foundation
import Operations

/// The phone's state while its app does not run: its token, and the notifications on its screen.
struct PhoneScreen: Codable, Equatable {
    /// A notification.
    struct Notification: Codable, Equatable {
        let number: Int
        /// The JSON for the app.
        let payload: String
        let displayKey: String?
        /// The texts of the phone's own notification; nil for the push's texts.
        let own: Texts?
    }

    /// A notification's texts.
    struct Texts: Codable, Equatable {
        let title: String?
        let body: String?
    }

    /// The APNs token, made up with the phone.
    let token: String
    /// The oldest first.
    private(set) var notifications: [Notification] = []
    var badge = 0
    private var next = 1

    /// Makes a new phone.
    init(token: String) {
        self.token = token
    }

    /// Adds a notification, in place of one with the same key; returns its number.
    mutating func add(payload: String, displayKey: String?, own: Texts? = nil) -> Int {
        if let displayKey { notifications.removeAll { $0.displayKey == displayKey } }
        notifications.append(Notification(number: next, payload: payload, displayKey: displayKey, own: own))
        next += 1
        return next - 1
    }

    /// Returns the notification with a number, without one the newest.
    func notification(_ number: Int?) -> Notification? {
        guard let number else { return notifications.last }
        return notifications.first { $0.number == number }
    }

    /// Removes a notification from the screen.
    mutating func remove(_ number: Int) { notifications.removeAll { $0.number == number } }

    /// Removes all notifications from the screen.
    mutating func clear() { notifications = [] }
}

/// The folder of a phone.
struct PhoneFolder {
    let path: String

    /// The folder for the kit's files.
    var kit: URL { URL(fileURLWithPath: path + "/kit", isDirectory: true) }

    private var file: URL { URL(fileURLWithPath: path + "/phone.json") }

    /// Returns this folder's phone, or a new one with a token of its own.
    func screen() throws -> PhoneScreen {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            if FileManager.default.fileExists(atPath: file.path) {
                return try JSONDecoder().decode(PhoneScreen.self, from: Data(contentsOf: file))
            }
            let screen = PhoneScreen(token: Hexadecimal.text((0..<32).map { _ in UInt8.random(in: 0 ... .max) }))
            try keep(screen)
            return screen
        } catch {
            throw CommandFailure(
                .failed,
                "the folder \(path) cannot be used for a phone: \(error.localizedDescription)"
            )
        }
    }

    /// Stores the phone atomically: after a crash, either the old or the new state is found.
    func keep(_ screen: PhoneScreen) throws { try JSONEncoder().encode(screen).write(to: file, options: .atomic) }
}
