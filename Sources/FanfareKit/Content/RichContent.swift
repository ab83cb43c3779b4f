public import Foundation

/// Rich content that a push named, as the server has it.
///
///     if content.contentType == "image/png" { imageView.image = UIImage(data: content.data) }
public struct RichContent: Sendable, Hashable {
    /// What named it.
    public let name: RichContentName
    /// What it is, such as `image/jpeg`, without parameters.
    public let contentType: String
    /// The bytes.
    public let data: Data

    /// The bytes as JSON, when they are that.
    var json: JSON? { try? JSONDecoder().decode(JSON.self, from: data) }
}

/// Why content could not be had.
public enum RichContentProblem: Error, Sendable, Hashable {
    /// The server has none of this id (any more).
    case gone
    /// It is larger than the phone takes.
    case tooLarge
    /// It is none of the types that its handler takes.
    case wrongType(String)
    /// The bytes are not what the type says.
    case damaged
    /// The device is not registered, or not any more.
    case notRegistered
    /// The server was not reached, or failed; trying again may help.
    case unavailable(String)
}

/// Judges content before an app gets it; no I/O.
enum ContentRule {
    /// Bytes that a phone takes, which is what the server takes.
    static let bytesMax = 2 * 1024 * 1024

    /// The content of an answer, or why it is none.
    static func judge(
        _ name: RichContentName,
        status: Int,
        type: String?,
        _ data: Data
    ) -> Result<
        RichContent, RichContentProblem
    > {
        switch status {
        case 200: break
        case 401, 403: return .failure(.notRegistered)
        case 404, 410: return .failure(.gone)
        default: return .failure(.unavailable("the server answered \(status)"))
        }
        guard data.count <= bytesMax else { return .failure(.tooLarge) }
        let plain = (type ?? "").prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        guard !plain.isEmpty else { return .failure(.wrongType("")) }
        guard beginsRight(data, type: plain) else { return .failure(.damaged) }
        return .success(RichContent(name: name, contentType: plain, data: data))
    }

    /// The first bytes of images say what they are; of the rest nothing does.
    private static func beginsRight(_ data: Data, type: String) -> Bool {
        let head = Array(data.prefix(12))
        func starts(_ bytes: [UInt8], at place: Int = 0) -> Bool { head.dropFirst(place).starts(with: bytes) }
        return switch type {
        case "image/png": starts([0x89, 0x50, 0x4E, 0x47])
        case "image/jpeg": starts([0xFF, 0xD8, 0xFF])
        case "image/gif": starts(Array("GIF8".utf8))
        case "image/webp": starts(Array("RIFF".utf8)) && starts(Array("WEBP".utf8), at: 8)
        default: true
        }
    }
}
