import Campaigns

/// The endings of the sound files that a system plays with a notification.
///
/// A sound is named as its file is; what the file holds is the app's affair, but its ending says whether anything can play
/// it.
struct SoundEndings {
    /// The system that plays these endings.
    let system: String
    /// In lower case.
    let endings: [String]

    /// Those of Apple's systems, from `UNNotificationSound`: "aiff, wav, or caf file".
    static let apple = SoundEndings(system: "Apple's systems", endings: ["aiff", "aif", "wav", "caf"])

    /// Those of Android, from "Supported media formats": the file types of the audio formats that every device decodes.
    static let android = SoundEndings(
        system: "Android",
        endings: [
            "mp3", "wav", "ogg", "oga", "opus", "m4a", "mp4", "aac", "flac", "3gp", "amr", "mkv", "mid", "midi", "xmf",
            "mxmf", "rtttl", "rtx", "ota", "imy",
        ]
    )

    /// Warnings of a job's sounds that the system does not play: it plays the usual one instead, or none.
    ///
    /// A name without an ending says nothing; Android's resources have none.
    func warnings(_ job: Job) -> [Problem] {
        let own = job.content.sound.map { [(place: "/content/sound", name: $0.name)] } ?? []
        let others = job.content.localizations.compactMap { other in
            other.sound.map { sound in
                let place = JSONPointer(text: "/content/localizations").appending(other.locale).appending("sound")
                return (place: place.text, name: sound.name)
            }
        }
        return (own + others).compactMap { sound in
            let parts = sound.name.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count > 1, let ending = parts.last?.lowercased(), !endings.contains(ending) else { return nil }
            return Problem(
                pointer: sound.place,
                code: .unusual,
                detail: "\(system) play no sound from a file that ends with .\(NameRule.shown(ending))",
                fix: "they play \(endings.prefix(8).joined(separator: ", "))"
            )
        }
    }
}
