public import Foundation

/// The work of a notification service extension in one call: tracks the push as received and fetches its media.
///
/// It runs in the extension's own process, in the folder that the extension shares with the app (an app group's). It
/// needs no start and no registration of its own: the app sends the recorded events when it comes to the front.
///
///     let found = await PushExtension(folder: groupFolder).received(request.content.userInfo)
///     if case .success(let file)? = found {
///         content.attachments = [try UNNotificationAttachment(identifier: "", url: file)]
///     }
public struct PushExtension: Sendable {
    /// The folder of `FanfareOptions`.
    public var folder: URL
    /// The app's own field names in its pushes, as in `FanfareOptions`; needed only until the app has run once.
    public var payloadNames: [String: String] = [:]
    /// The seconds for the media; the system gives an extension about 30 for all of its work.
    public var seconds: TimeInterval = 20
    /// The largest media file in bytes; the system shows no image above 10 MiB.
    public var bytesMax = 10 * 1024 * 1024

    /// Creates the extension's part, in the folder that the app's options name.
    ///
    ///     var part = PushExtension(folder: groupFolder)
    ///     part.seconds = 10
    public init(folder: URL) {
        self.folder = folder
    }

    /// Records a push, and fetches its media to a file with the extension of its type.
    ///
    /// Returns nil when Fanfare did not send the push, or when it names no media. Then, and after a failure, show only
    /// the text. The caller moves or deletes the file; the system moves a file that becomes an attachment.
    ///
    ///     if case .success(let file)? = await part.received(userInfo) { attach(file) }
    public func received(_ userInfo: [AnyHashable: Any]) async -> Result<URL, DownloadProblem>? {
        let names = KnownNames.Kept.read(folder).names.or(PayloadNames(payloadNames))
        guard let push = PushMessage(members: JSON.members(userInfo), names) else { return nil }
        note(push, at: Date())
        guard let media = push.media else { return nil }
        return await fetch(media)
    }

    /// Leaves the event for the app, and ignores an error: the notification is shown all the same.
    func note(_ push: PushMessage, at now: Date) {
        guard let messageID = push.messageID,
            let event = TrackedEvent(.received, .system, of: push.kind, messageID: messageID, at: now)
        else { return }
        try? EventInbox(folder).leave(event)
    }

    func fetch(_ media: URL) async -> Result<URL, DownloadProblem> {
        let location = FileManager.default.temporaryDirectory.appendingPathComponent("media-\(UUID().uuidString)")
        do throws(DownloadProblem) {
            let type = try await Download(bytesMax: bytesMax, seconds: seconds).fetch(media, to: location)
            guard let ending = MediaType.ending(type, media) else {
                try? FileManager.default.removeItem(at: location)
                throw .wrongType(type)
            }
            let file = location.appendingPathExtension(ending)
            do { try FileManager.default.moveItem(at: location, to: file) } catch { throw .failed("\(error)") }
            return .success(file)
        } catch {
            return .failure(error)
        }
    }
}

/// Media types that the system shows with a notification (Apple's `UNNotificationAttachment`), by file extension.
enum MediaType {
    private static let endings = [
        "image/jpeg": "jpg", "image/png": "png", "image/gif": "gif", "audio/aiff": "aiff", "audio/x-aiff": "aiff",
        "audio/wav": "wav", "audio/x-wav": "wav", "audio/mpeg": "mp3", "audio/mp4": "m4a", "audio/x-m4a": "m4a",
        "video/mpeg": "mpg", "video/mp4": "mp4", "video/avi": "avi", "video/x-msvideo": "avi",
    ]
    private static let known = Set(endings.values).union(["jpeg", "aif", "mpeg", "m4v"])

    /// Returns the file extension of a type; nil for types that the system does not show.
    ///
    /// The address decides where the server does not know the type.
    static func ending(_ type: String, _ url: URL) -> String? {
        if let ending = endings[type] { return ending }
        guard type.isEmpty || type == "application/octet-stream" || type == "binary/octet-stream" else { return nil }
        let ending = url.pathExtension.lowercased()
        return known.contains(ending) ? ending : nil
    }
}
