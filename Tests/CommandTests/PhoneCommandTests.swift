import FanfareKit
import Foundation
import Testing

@testable import fanfare

/// Lines of standard input to `fanfare phone`, and its end.
@Suite struct PhoneCommandTests {
    @Test(arguments: [
        ("tap", PhoneOrder.tap(nil)), ("tap 3", .tap(3)), ("  press  YES 2 ", .press("YES", 2)),
        ("dismiss", .dismiss(nil)), ("leave", .leave), ("quit", .quit),
        ("answer who=real when=now,later", .answer(["who": ["real"], "when": ["now", "later"]])),
        (
            "event goal minute=12 home=true team=atleti",
            .event("goal", ["minute": .number(12), "home": .bool(true), "team": .string("atleti")])
        ),
        ("buy pass 9.99 EUR", .purchase("pass", price: 9.99, currency: "EUR", [:])),
        ("user ana@example.com", .user("ana@example.com")), ("user -", .user(nil)), ("badge 0", .badge(0)),
        ("permission denied", .permission(.denied)), ("wait push", .wait(.push, seconds: 30)),
        ("wait sent 5", .wait(.sent, seconds: 5)), ("answer defaults", .answerDefaults), ("next", .next),
        ("keyboard up", .keyboard(isUp: true)), ("keyboard down", .keyboard(isUp: false)),
        ("turn landscape", .turn(.landscape)), ("choose later", .choose(.later)),
        ("local slideup Two tickets left", .local(.slideup, "Two tickets left")),
        ("data decline", .data(isTaken: false)),
        ("notifier fail", .notifier(.fail)), ("area news", .area("news")), ("area -", .area(nil)),
        ("screen dark", .screen(.dark)), ("language ar", .language("ar")),
    ])
    func `a line is an order`(line: String, order: PhoneOrder) throws {
        #expect(try PhoneOrder(line) == order)
    }

    @Test(arguments: [
        ("tpa", "there is no order tpa; did you mean tap?"), ("sing", "there is no order sing; help lists them"),
        ("tap x", "tap takes a number, not x"), ("tap 1 2", "tap does not take 2"), ("press", "press needs BUTTON"),
        ("answer real", "real is no NAME=VALUE"), ("answer", "answer needs QUESTION=CHOICE"),
        ("buy pass cheap EUR", "a price is a number, such as 9.99: buy pass 9.99 EUR"),
        ("wait rain", "one can wait for registered, push, campaign, message, banner, sent"),
        ("turn over", "turn takes one of portrait, landscape"), ("choose", "choose takes one of now, later, discard"),
        ("local poster Hi", "a layout is one of slideup, modal, full, html"), ("local slideup", "local needs TEXT"),
        ("screen tiny", "screen takes one of light, dark, usual, large"), ("language", "language needs CODE"),
        ("keyboard up down", "keyboard does not take down"), ("area", "area needs NAME, or - for none"),
        ("permission maybe", "a permission is one of authorized, provisional, denied, unknown"),
    ])
    func `a line that is no order says how to fix it`(line: String, text: String) {
        #expect(throws: PhoneOrderProblem(text)) { _ = try PhoneOrder(line) }
    }

    @Test func `a notification takes the place of one with the same key, and keeps its number`() {
        var screen = PhoneScreen(token: "0a")
        #expect(screen.add(payload: "1", displayKey: "score") == 1)
        #expect(screen.add(payload: "2", displayKey: nil) == 2)
        #expect(screen.add(payload: "3", displayKey: "score") == 3)
        #expect(screen.notifications.map(\.payload) == ["2", "3"])
        #expect(screen.notification(nil)?.number == 3 && screen.notification(1) == nil)
        screen.remove(3)
        #expect(screen.notification(nil)?.number == 2)
        #expect(screen.add(payload: "4", displayKey: nil) == 4)
    }

    /// Returns the lines that orders give: an attempt to register that fails says so whenever it is over.
    private func linesOfOrders(_ output: String) -> [Substring] {
        output.split(separator: "\n").filter { !$0.hasPrefix("registration: ") }
    }

    @Test func `a message is drawn as its look, from right to left, dark and large, and only what it has is pressed`()
        throws
    {
        let folder = try CommandFolder()
        try Data("a-key".utf8).write(to: URL(fileURLWithPath: folder.path + "/key.txt"))
        let phone = ["phone", "--server", "http://127.0.0.1:1", "--integration", "key.txt"]
        let orders = "screen dark\nlocal modal שלום\nwait message\npress buy\nact\ntap\nshow\n"
        let outcome = try Command(folder: folder.path).run(phone, input: orders)
        #expect(
            outcome.output.contains("in-app message (modal): \"שלום\" (right to left) (dark)\n"),
            "\(outcome.output)"
        )
        #expect(linesOfOrders(outcome.output).last == "nothing is on the screen", "\(outcome.output)")
        #expect(outcome.errors.contains("the in-app message has no button buy; it has none"))
        #expect(outcome.errors.contains("no announcement or poll is in front"))
    }

    @Test func `a look is a line with its texts, buttons and image, and with what is not the usual`() {
        var message = FanfareKit.InAppMessage(id: "m", header: "Derby", message: "Kick-off")
        message.image = URL(string: "https://cdn.example.com/a.jpg")
        message.buttons = [.init(id: "buy", label: "Buy a season ticket"), .init(id: "no", label: "No")]
        let look = Look(message, language: "en") { _ in nil }
        let line = PhoneLine(look, LookStyle(look, isDark: false, textSize: .large), media: nil)
        #expect(
            line.text == #"in-app message (modal): "Derby" "Kick-off" [buy "Buy a season ticket"] [no "No"]"#
                + " [media: https://cdn.example.com/a.jpg] (buttons below each other)"
        )
        #expect(line.name == "message")
        message.layout = .html
        let page = Look(message, language: "en") { _ in nil }
        let drawn = PhoneLine(page, LookStyle(page, isDark: true, textSize: .accessibility5), media: nil).text
        #expect(drawn.hasPrefix(#"in-app message (html): "Kick-off" [buy"#) && drawn.contains("(dark)"))
    }

    @Test func `without a server it is the same phone every time, keeps what it notes, and says what was wrong`() throws
    {
        let folder = try CommandFolder()
        try Data("a-key".utf8).write(to: URL(fileURLWithPath: folder.path + "/key.txt"))
        let command = Command(folder: folder.path)
        let phone = ["phone", "--server", "http://127.0.0.1:1", "--integration", "key.txt"]
        let first = try command.run(phone, input: "show\ntpa\n")
        #expect(first.exit == 64 && first.errors == "fanfare: there is no order tpa; did you mean tap?\n")
        #expect(first.output.contains("nothing is on the screen\n"))
        let second = try command.run(phone, input: "\ntap\nquit\ntap\n")
        #expect(second.exit == 1 && second.errors == "fanfare: nothing is on the screen\n", "\(second.errors)")
        func name(_ text: String) -> Substring? {
            linesOfOrders(text).first { $0.hasPrefix("phone ") }?.prefix { $0 != "," }
        }
        #expect(name(first.output) != nil && name(first.output) == name(second.output), "\(second.output)")
        #expect(try command.run(phone, input: "wait push 0\n").exit == 75)
        #expect(try command.run(phone + ["--json"], input: "").output.hasPrefix(#"{"what":"phone","device":""#))
        #expect(try command.run(["phone", "--server", "push", "--integration", "key.txt"]).exit == 64)
        #expect(try command.run(["phone", "--server", "http://h", "--integration", "none.txt"]).exit == 64)
    }
}
