extension SourceFile {
    /// The code as words, arrows and single characters, without white space.
    var tokens: [String] {
        var tokens: [String] = []
        var at = 0
        while at < code.count {
            var end = at
            while end < code.count, PhraseSearch.isWord(code[end]) { end += 1 }
            if end == at {
                let isArrow = code[at] == UInt8(ascii: "-") && at + 1 < code.count && code[at + 1] == UInt8(ascii: ">")
                end += isArrow ? 2 : 1
            }
            if code[at] != UInt8(ascii: " "), code[at] != UInt8(ascii: "\n") {
                tokens.append(String(decoding: code[at..<end], as: UTF8.self))
            }
            at = end
        }
        return tokens
    }
}
