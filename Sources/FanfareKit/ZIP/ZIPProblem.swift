/// The reason why an archive is not unpacked.
enum ZIPProblem: Error, Hashable, CustomStringConvertible {
    case notAnArchive
    case truncated
    case damaged(String)
    case encrypted
    case zip64
    case severalDisks
    /// A compression method other than deflate.
    case method(Int)
    /// A name that would lie outside the folder, or that some file systems do not allow.
    case name(String)
    /// A link, or anything else that is neither a file nor a folder.
    case notAFile(String)
    case twice(String)
    case tooManyFiles
    case tooLarge

    var description: String {
        switch self {
        case .notAnArchive: "not a ZIP archive"
        case .truncated: "the archive is cut off"
        case .damaged(let name): "the archive is damaged at \(name)"
        case .encrypted: "the archive is encrypted"
        case .zip64: "the archive is a ZIP64"
        case .severalDisks: "the archive is one of several parts"
        case .method(let number): "the archive uses the compression method \(number)"
        case .name(let name): "the archive has a file \(name.debugDescription)"
        case .notAFile(let name): "the archive has an entry that is not a file, \(name.debugDescription)"
        case .twice(let name): "the archive has \(name.debugDescription) twice"
        case .tooManyFiles: "the archive has more than \(ZIPArchive.filesMax) files"
        case .tooLarge: "the archive has more than \(ZIPArchive.bytesMax) bytes"
        }
    }
}
