import FanfareKit

extension PhoneOrder {
    private static let choices: [String: InAppChoice] = ["now": .now, "later": .later, "discard": .discard]

    /// Returns the order for the app's surroundings or its own decisions; nil for any other.
    static func ofSurroundings(_ name: String, _ values: PhoneOrderWords) throws(PhoneOrderProblem) -> PhoneOrder? {
        switch name {
        case "keyboard": return .keyboard(isUp: try values.choice(among: ["up", "down"]) == "up")
        case "turn":
            let word = try values.choice(among: FanfareKit.InAppMessage.Orientation.allCases.map(\.rawValue))
            return FanfareKit.InAppMessage.Orientation(rawValue: word).map { .turn($0) }
        case "choose": return choices[try values.choice(among: ["now", "later", "discard"])].map { .choose($0) }
        case "data": return .data(isTaken: try values.choice(among: ["take", "decline"]) == "take")
        case "notifier":
            let word = try values.choice(among: PhoneNotifier.Habit.allCases.map(\.rawValue))
            return PhoneNotifier.Habit(rawValue: word).map { .notifier($0) }
        case "area":
            try values.end(after: 1)
            let name = try values.word(0, "NAME, or - for none")
            return .area(name == "-" ? nil : name)
        case "screen":
            let word = try values.choice(among: Screen.allCases.map(\.rawValue))
            return Screen(rawValue: word).map { .screen($0) }
        case "language":
            try values.end(after: 1)
            return .language(try values.word(0, "CODE"))
        case "local":
            let words = FanfareKit.InAppMessage.Layout.allCases.map(\.rawValue)
            guard let layout = FanfareKit.InAppMessage.Layout(rawValue: try values.word(0, "LAYOUT")) else {
                throw PhoneOrderProblem("a layout is one of \(words.joined(separator: ", "))")
            }
            _ = try values.word(1, "TEXT")
            return .local(layout, values.words.dropFirst().joined(separator: " "))
        default: return nil
        }
    }
}

extension PhoneOrderWords {
    /// Returns the only word, which must be one of these.
    func choice(among known: [String]) throws(PhoneOrderProblem) -> String {
        try end(after: 1)
        guard words.count == 1, known.contains(words[0]) else {
            throw PhoneOrderProblem("\(name) takes one of \(known.joined(separator: ", "))")
        }
        return words[0]
    }
}
