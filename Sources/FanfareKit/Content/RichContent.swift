public import Foundation

/// Rich content that a push named, as the server delivered it.
///
///     if content.contentType == "image/png" { imageView.image = UIImage(data: content.data) }
public struct RichContent: Sendable, Hashable {
    /// The name that the push gave it.
    public let name: RichContentName
    /// The content type without parameters, such as `image/jpeg`.
    public let contentType: String
    /// The bytes.
    public let data: Data

    /// The bytes as JSON; nil when they are not JSON.
    var json: JSON? { try? JSONDecoder().decode(JSON.self, from: data) }
}

/// The reason why content is not available.
public enum RichContentProblem: Error, Sendable, Hashable {
    /// The server has no content of this id, or no longer has it.
    case gone
    /// It is larger than the limit.
    case tooLarge
    /// Its type is not among those that its handler takes.
    case wrongType(String)
    /// The bytes do not match the type.
    case damaged
    /// The device is not registered, or no longer registered.
    case notRegistered
    /// The server was not reached, or failed; trying again may help.
    case unavailable(String)
}

/// Judges content before an app gets it; no I/O.
enum ContentRule {
    /// The largest content in bytes, which is also the server's limit.
    static let bytesMax = 2 * 1024 * 1024

    /// Returns the content of an answer, or the reason why it has none.
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

    /// The first bytes of an image identify its type; other types cannot be checked.
    private static func beginsRight(_ data: Data, type: String) -> Bool {
        let head = Array(data.prefix(12))
        func starts(_ bytes: [UInt8], at offset: Int = 0) -> Bool { head.dropFirst(offset).starts(with: bytes) }
        return switch type {
        case "image/png": starts([0x89, 0x50, 0x4E, 0x47])
        case "image/jpeg": starts([0xFF, 0xD8, 0xFF])
        case "image/gif": starts(Array("GIF8".utf8))
        case "image/webp": starts(Array("RIFF".utf8)) && starts(Array("WEBP".utf8), at: 8)
        default: true
        }
    }
}
