import Campaigns

/// The file extensions of sounds that a system plays with a notification.
///
/// A sound has the name of its file. The file's content is up to the app, but the extension shows whether the system
/// can play it.
struct SoundEndings {
    /// The system that plays these files.
    let system: String
    /// The file extensions, in lower case.
    let endings: [String]

    /// The extensions of Apple's systems, from `UNNotificationSound`: "aiff, wav, or caf file".
    static let apple = SoundEndings(system: "Apple's systems", endings: ["aiff", "aif", "wav", "caf"])

    /// The extensions of Android, from "Supported media formats": the file types of the audio formats that every device
    /// decodes.
    static let android = SoundEndings(
        system: "Android",
        endings: [
            "mp3", "wav", "ogg", "oga", "opus", "m4a", "mp4", "aac", "flac", "3gp", "amr", "mkv", "mid", "midi", "xmf",
            "mxmf", "rtttl", "rtx", "ota", "imy",
        ]
    )

    /// Returns warnings for sounds that the system does not play: it plays the default sound instead, or none.
    ///
    /// A name without an extension gives no warning; Android's resources have none.
    func warnings(_ job: Job) -> [Problem] {
        let own = job.content.sound.map { [(location: "/content/sound", name: $0.name)] } ?? []
        let others = job.content.localizations.compactMap { other in
            other.content.sound.map { sound in
                let location = JSONPointer(text: "/content/localizations").appending(other.locale).appending("sound")
                return (location: location.text, name: sound.name)
            }
        }
        return (own + others).compactMap { sound in
            let parts = sound.name.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count > 1, let ending = parts.last?.lowercased(), !endings.contains(ending) else { return nil }
            return Problem(
                pointer: sound.location,
                code: .unusual,
                detail: "\(system) play no sound from a file that ends with .\(NameRule.shown(ending))",
                fix: "they play \(endings.prefix(8).joined(separator: ", "))"
            )
        }
    }
}
