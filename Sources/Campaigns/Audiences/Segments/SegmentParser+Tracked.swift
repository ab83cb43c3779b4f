extension SegmentParser {
    /// Parses the rest of `opened(derby, since: 7d)`, from the opening parenthesis on.
    mutating func tracked(_ word: String, at begin: Int) throws(SegmentProblem) -> SegmentNode {
        let example = "for example \(word)(derby), or \(word)(derby, since: 7d)"
        try advance()
        guard case .word(let id) = token, NameRule.isID(id.replacingAt()) else {
            throw problem("\(token.name) stands where a campaign's id must stand", fix: example)
        }
        guard var question = TrackedQuestion(word: word, campaign: id) else {
            throw scanner.problem("\(word.clipped) is not a question about a campaign", at: begin, fix: example)
        }
        try advance()
        while token == .comma {
            try advance()
            try setting(&question, example)
        }
        guard token == .close else { throw problem("\(token.name) stands where , or ) must stand", fix: example) }
        try advance()
        questions += 1
        guard questions <= TrackedQuestion.most else {
            throw SegmentProblem(
                code: .tooMany,
                column: scanner.column(begin),
                detail: "more than \(TrackedQuestion.most) questions about other campaigns"
            )
        }
        return .term(.tracked(question))
    }

    /// Parses `since: 7d` or `action: LIKE`.
    ///
    /// A colon is a word character, so the value may be in the same token.
    private mutating func setting(_ question: inout TrackedQuestion, _ example: String) throws(SegmentProblem) {
        guard case .word(let word) = token, let colon = word.firstIndex(of: ":") else {
            throw problem("\(token.name) stands where since: or action: must stand", fix: example)
        }
        let name = word[..<colon]
        var value = String(word[word.index(after: colon)...])
        if value.isEmpty {
            try advance()
            switch token {
            case .word(let text), .quoted(let text): value = text
            default: throw problem("\(token.name) stands where a value must stand", fix: example)
            }
        }
        switch name {
        case "since":
            guard let since = TrackedQuestion.Since(value) else {
                let fix = "write it like 7d, 12h, 30m or 2026-11-20T00:00:00Z"
                throw problem("\(value.clipped) is neither a duration nor an instant", fix: fix)
            }
            question.since = since
        case "action":
            guard question.deed == .type(.actioned) else {
                throw problem("only actioned has an action", fix: "for example actioned(derby, action: LIKE)")
            }
            question.action = value
        default: throw problem("\(String(name).clipped) is neither since nor action", fix: example)
        }
        try advance()
    }
}

extension String {
    /// The id with `@` replaced: a run of a repeated campaign, `<id>@<instant>`, has the only ids with an at sign.
    fileprivate func replacingAt() -> String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0 == "@" ? "." : $0 }))
    }
}
