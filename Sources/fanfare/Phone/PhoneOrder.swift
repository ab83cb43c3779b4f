import Campaigns
import FanfareKit

/// A person's action on the phone, given as a line.
enum PhoneOrder: Equatable {
    case help
    case show
    case tap(Int?)
    case press(String, Int?)
    case dismiss(Int?)
    case act
    case leave
    case answer([String: [String]])
    /// The poll's default choices.
    case answerDefaults
    case close
    case background
    case foreground
    case event(String, [String: JSON])
    case purchase(String, price: Double, currency: String, [String: JSON])
    case offline
    case online
    case user(String?)
    case tag(String)
    case untag(String)
    case badge(Int)
    case permission(FanfareKit.Fanfare.Permission)
    case keyboard(isUp: Bool)
    case turn(FanfareKit.InAppMessage.Orientation)
    case choose(InAppChoice)
    case next
    case local(FanfareKit.InAppMessage.Layout, String)
    case data(isTaken: Bool)
    case notifier(PhoneNotifier.Habit)
    case area(String?)
    case screen(Screen)
    case language(String)
    case wait(Awaited, seconds: Int)
    case quit

    /// The events that can be awaited.
    enum Awaited: String, CaseIterable {
        case registered, push, campaign, message, banner, sent
    }

    /// The screen's settings for looks drawn from now on.
    enum Screen: String, CaseIterable {
        case light, dark, usual, large
    }

    /// The form and the meaning of each order.
    static let catalogue: [(form: String, meaning: String)] = [
        ("show", "say again what is on the screen"),
        ("tap [N]", "tap notification N, or what is in front, or the newest notification"),
        ("press BUTTON [N]", "press a button, of the same"),
        ("dismiss [N]", "swipe a notification away"),
        ("act", "press the button of an announcement that acts"),
        ("leave", "press the button of an announcement or poll that leaves it"),
        ("answer QUESTION=CHOICE[,CHOICE] …", "answer the poll that is in front"),
        ("answer defaults", "answer it with the choices that it comes with"),
        ("close", "close the in-app message that is in front"),
        ("background, foreground", "leave the app, and come back to it"),
        ("event NAME [PROPERTY=VALUE] …", "something happens in the app"),
        ("buy PRODUCT PRICE CURRENCY [PROPERTY=VALUE] …", "something is bought in the app"),
        ("offline, online", "lose the network, and have it again"),
        ("user KEY, user -", "log in, log out"),
        ("tag NAME, untag NAME", "set a tag on the device, take it away"),
        ("badge N", "set the count on the icon"),
        ("permission WORD", "authorized, provisional, denied or unknown"),
        ("keyboard up, keyboard down", "the keyboard comes up, and goes"),
        ("turn portrait, turn landscape", "hold the phone another way"),
        ("choose now, later, discard", "what the app says of each in-app message that could be shown from now on"),
        ("next", "show the in-app message that was put off last"),
        ("local LAYOUT TEXT", "the app shows an in-app message of its own: slideup, modal, full, html"),
        ("data take, data decline", "what the app does with data pushes from now on"),
        ("notifier WORD", "who draws notifications in front: on, decline, fail, or off for the system (off at first)"),
        ("area NAME, area -", "a view of the app's own where they are drawn, and none"),
        ("screen WORD", "what is drawn from now on: light or dark, with text of the usual size or large"),
        ("language CODE", "the language of buttons that a campaign does not name (en at first)"),
        ("wait WHAT [SECONDS]", "wait for: registered, push, campaign, message, banner, sent (30 s)"),
        ("quit", "end; what is not sent is kept for the next start"),
    ]

    /// Parses a line; throws the problem with its fix.
    init(_ line: String) throws(PhoneOrderProblem) {
        var words = line.split(whereSeparator: \.isWhitespace).map(String.init)
        guard !words.isEmpty else { throw PhoneOrderProblem("an empty line is no order; help lists them") }
        let name = words.removeFirst()
        let values = PhoneOrderWords(name: name, words: words)
        if let order = try Self.plain(name, values) {
            self = order
        } else if let order = try Self.ofNotification(name, values) {
            self = order
        } else if let order = try Self.ofApp(name, values) {
            self = order
        } else if let order = try Self.ofSurroundings(name, values) {
            self = order
        } else {
            let near = Spelling.nearest(to: name, among: Self.names)
            let fix = near.map { "did you mean \($0)?" } ?? "help lists them"
            throw PhoneOrderProblem("there is no order \(name); \(fix)")
        }
    }

    /// The first words of all orders.
    private static let names = [
        "help", "show", "tap", "press", "dismiss", "act", "leave", "answer", "close", "background", "foreground",
        "event",
        "buy",
        "offline", "online", "user", "tag", "untag", "badge", "permission", "keyboard", "turn", "choose", "next",
        "local", "data", "notifier", "area", "screen", "language", "wait", "quit",
    ]

    private static func plain(_ name: String, _ values: PhoneOrderWords) throws(PhoneOrderProblem) -> PhoneOrder? {
        let orders: [String: PhoneOrder] = [
            "help": .help, "show": .show, "act": .act, "leave": .leave, "close": .close, "background": .background,
            "foreground": .foreground, "offline": .offline, "online": .online, "next": .next, "quit": .quit,
        ]
        guard let order = orders[name] else { return nil }
        try values.end(after: 0)
        return order
    }

    private static func ofNotification(
        _ name: String,
        _ values: PhoneOrderWords
    ) throws(PhoneOrderProblem) -> PhoneOrder? {
        switch name {
        case "tap":
            try values.end(after: 1)
            return .tap(try values.number(0))
        case "dismiss":
            try values.end(after: 1)
            return .dismiss(try values.number(0))
        case "press":
            try values.end(after: 2)
            return .press(try values.word(0, "BUTTON"), try values.number(1))
        case "answer":
            if values.words == ["defaults"] { return .answerDefaults }
            let pairs = try values.pairs(from: 0)
            guard !pairs.isEmpty else { throw PhoneOrderProblem("answer needs QUESTION=CHOICE") }
            return .answer(
                Dictionary(pairs.map { ($0.name, $0.value.split(separator: ",").map(String.init)) }) { $0 + $1 }
            )
        default: return nil
        }
    }

    private static func ofApp(_ name: String, _ values: PhoneOrderWords) throws(PhoneOrderProblem) -> PhoneOrder? {
        switch name {
        case "event": return .event(try values.word(0, "NAME"), try values.properties(from: 1))
        case "buy":
            let product = try values.word(0, "PRODUCT")
            guard let price = Double(try values.word(1, "PRICE")) else {
                throw PhoneOrderProblem("a price is a number, such as 9.99: buy pass 9.99 EUR")
            }
            let currency = try values.word(2, "CURRENCY")
            return .purchase(product, price: price, currency: currency, try values.properties(from: 3))
        case "user":
            try values.end(after: 1)
            let key = try values.word(0, "KEY, or - for none")
            return .user(key == "-" ? nil : key)
        case "tag", "untag":
            try values.end(after: 1)
            let tag = try values.word(0, "NAME")
            return name == "tag" ? .tag(tag) : .untag(tag)
        case "badge":
            try values.end(after: 1)
            guard let count = try values.number(0) else { throw PhoneOrderProblem("badge needs a number") }
            return .badge(count)
        case "permission":
            try values.end(after: 1)
            let words = FanfareKit.Fanfare.Permission.allCases.map(\.rawValue).joined(separator: ", ")
            guard let permission = FanfareKit.Fanfare.Permission(rawValue: try values.word(0, "WORD")) else {
                throw PhoneOrderProblem("a permission is one of \(words)")
            }
            return .permission(permission)
        case "wait":
            try values.end(after: 2)
            let words = Awaited.allCases.map(\.rawValue).joined(separator: ", ")
            guard let awaited = Awaited(rawValue: try values.word(0, "WHAT")) else {
                throw PhoneOrderProblem("one can wait for \(words)")
            }
            return .wait(awaited, seconds: try values.number(1) ?? 30)
        default: return nil
        }
    }
}

/// The reason why a line is no order.
struct PhoneOrderProblem: Error, Equatable {
    /// The problem and its fix.
    let text: String

    init(_ text: String) {
        self.text = text
    }
}

/// The words after an order's name.
struct PhoneOrderWords {
    let name: String
    let words: [String]

    func end(after count: Int) throws(PhoneOrderProblem) {
        guard words.count > count else { return }
        throw PhoneOrderProblem("\(name) does not take \(words[count])")
    }

    func word(_ index: Int, _ what: String) throws(PhoneOrderProblem) -> String {
        guard index < words.count else { throw PhoneOrderProblem("\(name) needs \(what)") }
        return words[index]
    }

    /// Returns the number in a position; nil when there is no word.
    func number(_ index: Int) throws(PhoneOrderProblem) -> Int? {
        guard index < words.count else { return nil }
        guard let number = Int(words[index]), number >= 0 else {
            throw PhoneOrderProblem("\(name) takes a number, not \(words[index])")
        }
        return number
    }

    func pairs(from index: Int) throws(PhoneOrderProblem) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        for word in words.dropFirst(index) {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw PhoneOrderProblem("\(word) is no NAME=VALUE")
            }
            pairs.append((String(parts[0]), String(parts[1])))
        }
        return pairs
    }

    /// Returns numbers, `true` and `false` as such, everything else as text.
    func properties(from index: Int) throws(PhoneOrderProblem) -> [String: JSON] {
        let pairs = try pairs(from: index).map { pair in
            let plain: JSON? = Double(pair.value).map { .number($0) } ?? Bool(pair.value).map { .bool($0) }
            return (pair.name, plain ?? .string(pair.value))
        }
        return Dictionary(pairs) { $1 }
    }
}
