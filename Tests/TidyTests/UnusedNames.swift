/// Finds what nothing uses: declarations by their names, and files that no other file mentions.
enum UnusedNames {
    /// Returns the declarations that nothing uses, and those of the program that only tests use.
    static func declarations(in files: [SourceFile], except known: Set<String>) -> [Violation] {
        let names = NameUses(files.filter { $0.isHandwrittenSwift && ["Sources", "Tests"].contains($0.top) })
        var (bySources, byTests): (Set<String>, Set<String>) = ([], [])
        for (path, used) in names.used {
            if path.hasPrefix("Sources/") { bySources.formUnion(used) } else { byTests.formUnion(used) }
        }
        return names.declarations.compactMap { declaration in
            let (path, name) = (declaration.path, declaration.name)
            let isForApps = declaration.isPublic && path.hasPrefix("Sources/FanfareKit/")
            guard !known.contains(name), !isForApps, !(path.hasPrefix("Tests/") && name.hasSuffix("Tests")) else {
                return nil
            }
            let what: String
            if declaration.isPrivate, names.used[path]?.contains(name) == false {
                what = "nothing in the file uses \(name), which is private"
            } else if bySources.contains(name) {
                return nil
            } else if !byTests.contains(name) {
                what = "nothing uses \(name)"
            } else if path.hasPrefix("Sources/") {
                what = "only tests use \(name)"
            } else {
                return nil
            }
            return Violation(path: path, line: declaration.line, what: what)
        }
    }

    /// Returns the files whose name stands in no other file, with or without its ending.
    ///
    /// What the compiler is given by its folder and hidden files are left out.
    static func files(
        _ texts: [(path: String, text: [UInt8])],
        in paths: [String],
        except known: [String]
    )
        -> [Violation]
    {
        var mentioned: [String: Set<Int>] = [:]
        let names = paths.filter { path in
            path.contains(".") && !path.contains("/.") && ![".swift", ".c"].contains { path.hasSuffix($0) }
                && !known.contains { path.hasPrefix($0) }
        }
        for path in names { for name in spellings(path) { mentioned[name] = [] } }
        for (index, file) in texts.enumerated() {
            for word in file.text.split(whereSeparator: { !isOfName($0) }) {
                let name = String(decoding: word.trimmed, as: UTF8.self)
                if mentioned[name] != nil { mentioned[name]?.insert(index) }
            }
        }
        return names.filter { path in
            spellings(path).allSatisfy { (mentioned[$0] ?? []).allSatisfy { texts[$0].path == path } }
        }.map { Violation(path: $0, line: 0, what: "no file mentions it") }
    }

    private static func spellings(_ path: String) -> [String] {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return [name] }
        return [name, String(name[..<dot])]
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        PhraseSearch.isWord(byte) || ".-@".utf8.contains(byte)
    }
}

extension ArraySlice<UInt8> {
    /// The same bytes without full stops at either end, which belong to a sentence.
    fileprivate var trimmed: ArraySlice<UInt8> {
        guard let first = firstIndex(where: { $0 != UInt8(ascii: ".") }),
            let last = lastIndex(where: { $0 != UInt8(ascii: ".") })
        else { return [] }
        return self[first...last]
    }
}
