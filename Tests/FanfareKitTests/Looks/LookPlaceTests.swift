import Foundation
import Testing

@testable import FanfareKit

/// The positions of looks on the screen, and their dismissal by a finger.
@Suite struct LookPlaceTests {
    private func strip(_ campaign: String, _ place: NotificationPlace) -> Look {
        var look = Look(.notification, campaign, .slideup(place))
        look.isSwipedAway = true
        return look
    }

    @Test func `a strip stands in its area while that is there, and over the app when it is not`() {
        var pile = LookPile()
        let goal = strip("goal", .area("news"))
        pile.open("news")
        pile.open("news")
        pile.put(goal)
        #expect(pile.looks(in: "news") == [goal] && pile.over.isEmpty && pile.looks(in: "other").isEmpty)
        pile.close("news")
        #expect(pile.looks(in: "news") == [goal])
        pile.close("news")
        pile.close("never")
        #expect(pile.looks(in: "news").isEmpty && pile.over == [goal] && goal.strip == .bottom)
    }

    @Test func `the newest look is on top, one of the same thing takes the place of the older, and another stays`() {
        var pile = LookPile()
        let (goal, offer) = (strip("goal", .overlay(.bottom)), Look(.announcement, "goal", .full))
        for look in [goal, offer, strip("goal", .overlay(.top))] { pile.put(look) }
        #expect(pile.over.map(\.id) == ["announcement goal", "notification goal"])
        #expect(pile.over.last?.strip == .top && offer.strip == nil)
        pile.take("notification goal")
        #expect(pile.over == [offer] && !pile.isEmpty)
        pile.take("announcement goal")
        #expect(pile.isEmpty)
    }

    @Test(
        arguments: [
            (NotificationPlace.overlay(.bottom), 0.0, 40.0, true), (.overlay(.bottom), 0, -40, false),
            (.overlay(.bottom), 50, 40, false), (.overlay(.bottom), 0, 10, false), (.overlay(.top), 5, -40, true),
            (.overlay(.top), 0, 40, false), (.overlay(.top), -50, -40, false), (.area("news"), -40, 5, true),
            (.area("news"), 40, 0, true), (.area("news"), 40, 60, false), (.area("news"), 10, 0, false),
        ] as [(NotificationPlace, Double, Double, Bool)]
    )
    func `a swipe towards its edge takes a strip away, and out of an area to either side`(
        place: NotificationPlace,
        right: Double,
        down: Double,
        isTaken: Bool
    ) {
        #expect(strip("goal", place).isSwipe(right, down) == isTaken)
        #expect(!Look(.message, "m", .modal).isSwipe(right, down))
    }

    @Test func `a choice is marked by whether it is taken and how many may be`() {
        let choices = ["a", "b"].map { Poll.Choice(id: $0, title: $0, isDefault: $0 == "a") }
        let one = Poll.Question(id: "q", title: "Q", isMultiple: false, choices: choices)
        let many = Poll.Question(id: "r", title: "R", isMultiple: true, choices: choices)
        let form = PollForm([one, many])
        #expect(form.mark("a", of: one) == "largecircle.fill.circle" && form.mark("b", of: one) == "circle")
        #expect(form.mark("a", of: many) == "checkmark.square.fill" && form.mark("b", of: many) == "square")
    }
}
