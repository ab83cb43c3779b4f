/// Paths as text.
enum PathText {
    /// Returns a path that does not depend on the working directory; `~` is not expanded, the shell does that.
    static func absolute(_ path: String, from folder: String) -> String {
        if path.hasPrefix("/") { return path }
        let plain = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        return folder.hasSuffix("/") ? folder + plain : "\(folder)/\(plain)"
    }

    /// Returns the folder of a file.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
