import Foundation
import Testing

@testable import FanfareKit

/// The content of each look, its buttons and their actions.
@Suite struct LookTests {
    private func campaign(_ kind: String, _ content: String, _ more: [String: Any] = [:]) throws -> PresentedCampaign {
        let push = try push(["c": "c", "k": kind, "r": "r"].merging(more) { $1 })
        let json = try JSONDecoder().decode(JSON.self, from: Data(content.utf8))
        let announcement = kind == "announcement" ? Announcement(json) : nil
        return PresentedCampaign(push: push, announcement: announcement, poll: Poll(json)) { _ in }
    }

    private func announcement(_ content: String, _ more: [String: Any] = [:]) throws -> Look {
        let campaign = try campaign("announcement", content, more)
        return try #require(Look(campaign, language: "en"))
    }

    private func steps(_ look: Look) -> [String] {
        look.buttons.map { button in
            let step =
                switch button.step {
                case .action(let id): "action \(id ?? "-")"
                case .answer: "answer"
                case .exit: "exit"
                }
            return "\(button.label): \(step), \(button.weight.rawValue)"
        }
    }

    @Test func `an announcement is a page with its texts and image, a button that acts and one that leaves`() throws {
        let look = try announcement(
            #"{"title": "Ten", "body": "Scarves", "action_label": "Buy", "action_url": "app://x", "exit_label": "Not now"}"#,
            ["i": "https://cdn.example.com/a.jpg"]
        )
        #expect(look.kind == .announcement && look.frame == .full && look.title == "Ten" && look.text == "Scarves")
        #expect(look.image?.absoluteString == "https://cdn.example.com/a.jpg" && look.html == nil && !look.hasIcon)
        #expect(steps(look) == ["Buy: action -, first", "Not now: exit, plain"])
        #expect(look.tap == nil && look.cross == nil)
    }

    @Test func `an announcement without labels has those of the language, and one that opens nothing can be left only`()
        throws
    {
        let content = #"{"body": "Scarves", "action_url": "app://x", "action_label": "", "exit_label": ""}"#
        let campaign = try campaign("announcement", content)
        let spanish = try #require(Look(campaign, language: "es-MX"))
        #expect(spanish.buttons.map(\.label) == ["Más", "Cerrar"])
        let unknown = try #require(Look(campaign, language: "xx"))
        #expect(unknown.buttons.map(\.label) == ["More", "Close"])
        #expect(steps(try announcement(#"{"body": "Scarves"}"#)) == ["Close: exit, plain"])
        #expect(try announcement(#"{"body": "b", "action_label": "Yes"}"#).buttons.map(\.label) == ["Yes", "Close"])
    }

    @Test func `a page of HTML stands for title, text and image`() throws {
        let look = try announcement(
            #"{"format": "html", "title": "Ten", "body": "<p>Scarves</p>"}"#,
            ["i": "https://cdn.example.com/a.jpg"]
        )
        #expect(look.html == "<p>Scarves</p>" && look.title == nil && look.text == nil && look.image == nil)
    }

    @Test func `a poll asks all of its questions, with its defaults taken, and is sent or left`() throws {
        let content = #"""
            {"title": "Derby", "body": "Your guess", "exit_label": "No", "questions": [
              {"id": "who", "title": "Who?", "select": "one", "choices": [
                {"id": "real", "title": "Real"}, {"id": "atleti", "title": "Atleti", "default": true}]},
              {"id": "when", "title": "When?", "select": "many", "choices": [
                {"id": "now", "title": "Now", "default": true}, {"id": "later", "title": "Later", "default": true}]}]}
            """#
        let look = try #require(
            Look(try campaign("poll", content, ["i": "https://cdn.example.com/a.png"]), language: "de")
        )
        #expect(look.kind == .poll && look.questions.map(\.id) == ["who", "when"] && look.image != nil)
        #expect(steps(look) == ["Senden: answer, first", "No: exit, plain"])
        var form = PollForm(look.questions)
        #expect(form.answers == ["who": ["atleti"], "when": ["now", "later"]])
        form.take("real", of: "who")
        form.take("later", of: "when")
        #expect(look.end(of: .answer, form) == .answered(["who": ["real"], "when": ["now"]]))
        form.take("now", of: "when")
        form.take("never", of: "when")
        #expect(form.answers == ["who": ["real"]] && look.end(of: .exit, form) == .exited)
    }

    @Test func `a poll with nothing taken cannot be sent, and one choice is all where one is asked for`() throws {
        let choice = #"{"id": "a", "title": "A", "default": true}, {"id": "b", "title": "B", "default": true}"#
        let poll = try #require(
            try campaign(
                "poll",
                #"{"questions": [{"id": "q", "title": "Q", "select": "one", "choices": [\#(choice)]}]}"#
            ).poll
        )
        #expect(PollForm(poll.questions).answers == ["q": ["a"]])
        let content = #"{"questions": [{"id": "q", "title": "Q", "select": "many", "choices": [\#(choice)]}]}"#
        let many = try campaign("poll", content)
        let look = try #require(Look(many, language: "en"))
        var form = PollForm(look.questions)
        form.take("a", of: "q")
        form.take("b", of: "q")
        #expect(look.end(of: .answer, form) == nil)
    }

    @Test func `a notification has icon, texts, image and the buttons of its category, at its place`() throws {
        let push = try push(
            ["c": "c", "i": "https://cdn.example.com/a.PNG"],
            aps: [
                "alert": ["title": "Derby", "subtitle": "Live", "body": "Kick-off"] as [String: Any],
                "category": "ACCEPT_DECLINE",
            ]
        )
        let notification = InAppNotification(push, at: .overlay(.bottom)) { _ in }
        let look = Look(notification, categories: ActionCategory.standard, language: "en")
        #expect(look.frame == .slideup(.overlay(.bottom)) && look.hasIcon && look.image != nil)
        #expect([look.title, look.subtitle, look.text] == ["Derby", "Live", "Kick-off"])
        #expect(steps(look) == ["Accept: action ACCEPT, plain", "Decline: action DECLINE, destructive"])
        #expect(look.tap == .action(nil) && look.cross == .exit && look.isSwipedAway && look.crossLabel == "Close")
        let bare = Look(notification, categories: [], language: "en")
        #expect(bare.buttons.isEmpty && bare.tap == .action(nil))
    }

    @Test(arguments: [("a.mp3", false), ("a.mp4", false), ("a.webp", true), ("a", false)])
    func `only an image is drawn of the media`(name: String, isDrawn: Bool) throws {
        let push = try push(["c": "c", "i": "https://cdn.example.com/\(name)"], aps: ["alert": "x"])
        let notification = InAppNotification(push, at: .area("news")) { _ in }
        let look = Look(notification, categories: [], language: "en")
        #expect((look.image != nil) == isDrawn && look.frame == .slideup(.area("news")))
    }

    // MARK: - In-app messages

    private func message(
        _ layout: InAppMessage.Layout,
        _ change: (inout InAppMessage) -> Void = { _ in }
    ) -> Look {
        var message = InAppMessage(id: "m", header: "Derby", message: "Kick-off")
        message.layout = layout
        change(&message)
        return Look(message, language: "en") { $0.lastPathComponent == "gone.png" ? nil : URL(fileURLWithPath: "/a") }
    }

    @Test func `a slideup is a strip at its edge that a tap opens and a swipe closes`() {
        let look = message(.slideup) { $0.position = .top }
        #expect(look.frame == .slideup(.overlay(.top)) && look.title == "Derby" && look.text == "Kick-off")
        #expect(look.tap == .action(nil) && look.cross == .exit && look.isSwipedAway)
        #expect(message(.slideup).frame == .slideup(.overlay(.bottom)))
    }

    @Test(arguments: [(InAppMessage.Layout.modal, Look.Frame.modal), (.full, .full)])
    func `a modal or full message has its image and two buttons, which act by their ids`(
        layout: InAppMessage.Layout,
        frame: Look.Frame
    ) {
        let look = message(layout) { message in
            message.image = URL(string: "https://cdn.example.com/a.png")
            message.buttons = ["buy", "no", "third"].map { InAppMessage.Button(id: $0, label: $0) }
        }
        #expect(look.frame == frame && look.image == URL(fileURLWithPath: "/a"))
        #expect(steps(look) == ["buy: action buy, first", "no: action no, plain"])
        // A tap beside the buttons does nothing.
        #expect(look.tap == nil && look.cross == .exit && !look.isSwipedAway)
        #expect(message(layout).tap == .action(nil))
    }

    @Test func `a message that is only an image shows nothing else, from its address where the file is gone`() {
        let look = message(.modal) { message in
            message.isImageOnly = true
            message.image = URL(string: "https://cdn.example.com/gone.png")
        }
        #expect(look.isImageOnly && look.title == nil && look.text == nil)
        #expect(look.image?.absoluteString == "https://cdn.example.com/gone.png" && look.tap == .action(nil))
        #expect(LookStyle(look, isDark: false, textSize: .large).imageShare == 1)
    }

    @Test func `an HTML message is its page, with the files that came with it, and is not tapped as a whole`() {
        let look = message(.html) { message in
            message.message = "<p>Derby</p>"
            message.assets = [URL(fileURLWithPath: "/x.zip")]
        }
        #expect(look.html == "<p>Derby</p>" && look.folder == URL(fileURLWithPath: "/a") && look.frame == .full)
        #expect(look.title == nil && look.text == nil && look.tap == nil && look.cross == .exit)
    }

    @Test func `texts of blanks are none`() {
        let look = message(.modal) { $0.header = " \n" }
        #expect(look.title == nil && look.text == "Kick-off")
    }
}
