/// The types of stored content: images and texts that a phone can show, and sounds that it can play.
public enum ContentType: String, Sendable, CaseIterable {
    /// PNG.
    case png = "image/png"
    /// JPEG.
    case jpeg = "image/jpeg"
    /// GIF.
    case gif = "image/gif"
    /// WebP.
    case webp = "image/webp"
    /// AIFF, or AIFF-C.
    case aiff = "audio/aiff"
    /// RIFF WAVE.
    case wav = "audio/wav"
    /// Apple's Core Audio Format.
    case caf = "audio/x-caf"
    /// MPEG audio, layer III.
    case mp3 = "audio/mpeg"
    /// A page in UTF-8.
    case html = "text/html"
    /// A text in UTF-8.
    case plain = "text/plain"
    /// A value for the app.
    case json = "application/json"

    /// The size limit of a content, in bytes.
    public static let bytesMax = 2_097_152

    /// Reads the type from the ending of a file's name; nil for other endings.
    public init?(fileName: String) {
        let ending = fileName.split(separator: ".", omittingEmptySubsequences: false).dropFirst().last?.lowercased()
        switch ending {
        case "png": self = .png
        case "jpg", "jpeg": self = .jpeg
        case "gif": self = .gif
        case "webp": self = .webp
        case "aiff", "aif", "aifc": self = .aiff
        case "wav": self = .wav
        case "caf": self = .caf
        case "mp3": self = .mp3
        case "html", "htm": self = .html
        case "txt": self = .plain
        case "json": self = .json
        default: return nil
        }
    }

    /// The value of the field `content-type` in answers.
    public var field: String {
        switch self {
        case .png, .jpeg, .gif, .webp, .aiff, .wav, .caf, .mp3, .json: rawValue
        case .html, .plain: rawValue + "; charset=utf-8"
        }
    }

    /// Returns the reason why bytes cannot be of this type and how to fix it; nil if they can.
    ///
    /// Images and sounds are recognized by their first bytes (PNG, section 5.2; JPEG, B.1.1.3; GIF89a, 17; RFC 9649,
    /// 2.4; Audio IFF 1.3, "Data Types"; RIFF, "WAVE"; Core Audio Format Specification, "CAF File Header"; ID3v2.4,
    /// 3.1, or a frame of ISO/IEC 11172-3, 2.4.2.3). Texts must be UTF-8, and JSON must parse.
    public func problem(_ bytes: [UInt8]) -> (detail: String, fix: String)? {
        if bytes.isEmpty { return ("the content is empty", "send the bytes of a file") }
        guard bytes.count <= Self.bytesMax else {
            return ("the content has \(bytes.count) bytes, at most \(Self.bytesMax) are taken", "make it smaller")
        }
        switch self {
        case .png, .jpeg, .gif, .webp, .aiff, .wav, .caf, .mp3:
            let found = Self.binary(bytes)
            if found == self { return nil }
            let fix = found.map { "it begins like \($0.rawValue)" } ?? "send the file as it is, or name its type"
            return ("the content does not begin as \(rawValue) does", fix)
        case .html, .plain:
            guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
            return ("the content is not UTF-8", "write it in UTF-8")
        case .json:
            let limits = JSONReader.Limits(bytesMax: Self.bytesMax, depthMax: 64)
            guard let problem = JSONReader.read(bytes, limits: limits).problems.first else { return nil }
            return ("the content is not JSON: \(problem.problem.detail)", "fix it, or send it as text/plain")
        }
    }

    /// Returns the image or sound type that the first bytes identify; nil for any other.
    private static func binary(_ bytes: [UInt8]) -> ContentType? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
        if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) { return .gif }
        let form = bytes.dropFirst(8)
        if bytes.starts(with: "RIFF".utf8) {
            return form.starts(with: "WEBP".utf8) ? .webp : form.starts(with: "WAVE".utf8) ? .wav : nil
        }
        if bytes.starts(with: "FORM".utf8), form.starts(with: "AIFF".utf8) || form.starts(with: "AIFC".utf8) {
            return .aiff
        }
        if bytes.starts(with: Array("caff".utf8) + [0, 1]) { return .caf }
        if bytes.starts(with: "ID3".utf8) { return .mp3 }
        // Eleven bits of frame sync, and layer III.
        if bytes.count > 1, bytes[0] == 0xFF, bytes[1] & 0xE6 == 0xE2 { return .mp3 }
        return nil
    }
}
