import Testing

@testable import Campaigns

/// The effects of an app's declarations in `apps.yaml` on its jobs.
struct AppContentRulesTests {
    private let likes = ActionCategory(
        name: "LIKE_CATEGORY",
        actions: [.init(id: "LIKE", isForeground: true), .init(id: "UNLIKE")]
    )

    private func job(_ change: (inout Content) -> Void) -> Job {
        var content = Content()
        content.title = "Kick-off"
        change(&content)
        return Job(id: "j", app: "news", audience: .everyone, content: content)
    }

    /// Completes a job as for devices of APNs.
    private func completed(_ rules: AppContentRules, _ job: Job) -> Job { rules.completed(job, for: .apns) }

    private func found(_ rules: AppContentRules, _ change: (inout Content) -> Void) -> [String] {
        rules.problems(job(change)).map { "\($0.pointer) \($0.code) \($0.fix ?? "")" }
    }

    @Test func `a declared category and the standard ones are known, another is refused with the nearest name`() {
        let rules = AppContentRules(categories: [likes])
        for name in ["LIKE_CATEGORY", "YES_NO", "ACCEPT_DECLINE", "CONFIRM_CANCEL", "MORE"] {
            #expect(found(rules) { $0.category = name } == [])
        }
        let near = found(rules) { $0.category = "LIKE_CATEGORIE" }
        #expect(near == ["/content/category value did you mean LIKE_CATEGORY?"])
        #expect(found(AppContentRules()) { $0.category = "ANYTHING" } == [], "nothing is declared")
    }

    @Test func `layouts are declared apart from categories of buttons, each without the other`() {
        let layouts = AppContentRules(layouts: ["COUPON", "BANNER"])
        #expect(found(layouts) { ($0.category, $0.layout) = ("ANYTHING", "COUPON") } == [], "no buttons are declared")
        #expect(found(layouts) { $0.layout = "COUPONS" } == ["/content/layout value did you mean COUPON?"])
        #expect(found(AppContentRules(categories: [likes])) { $0.layout = "ANYTHING" } == [], "no layouts are declared")
        let both = AppContentRules(categories: [likes], layouts: ["COUPON"])
        #expect(found(both) { ($0.category, $0.layout) = ("LIKE_CATEGORY", "COUPON") } == [])
        #expect(found(both) { $0.category = "COUPON" } == [], "one category for both, as before there were layouts")
        #expect(
            found(both) { ($0.category, $0.actions) = ("COUPON", [ActionLink(id: "LIKE", url: "a://x")]) }.count == 1
        )
        #expect(found(both) { $0.layout = "LIKE_CATEGORY" }.count == 1)
    }

    @Test func `a link needs a button of the category that opens the app`() {
        let rules = AppContentRules(categories: [likes])
        func link(_ category: String, _ id: String) -> [String] {
            found(rules) { ($0.category, $0.actions) = (category, [ActionLink(id: id, url: "app://x")]) }
        }
        #expect(link("LIKE_CATEGORY", "LIKE") == [])
        #expect(link("LIKE_CATEGORY", "UNLIKE").first?.hasPrefix("/content/actions/0/url conflict") == true)
        #expect(link("LIKE_CATEGORY", "LIKEE") == ["/content/actions/0/id value did you mean LIKE?"])
        #expect(link("YES_NO", "YES") == [])
        #expect(link("YES_NO", "NO").first?.hasPrefix("/content/actions/0/url conflict") == true)
    }

    @Test func `a required variable is asked for and a default is filled in`() {
        let rules = AppContentRules(variables: [
            AppVariable(name: "match", isRequired: true), AppVariable(name: "url", standard: "app://home"),
            AppVariable(name: "lang", isRequired: true, standard: "es"),
        ])
        #expect(found(rules) { _ in }.map { $0.prefix(28) } == ["/content/data/match required"])
        let match = JSONMember("match", 7)
        #expect(found(rules) { $0.data = [match] } == [])
        let completed = completed(rules, job { $0.data = [match] })
        #expect(completed.content.url == "app://home")
        #expect(completed.content.data == [match, JSONMember("lang", "es")])
        let own = self.completed(
            rules,
            job {
                $0.url = "app://match"
                $0.data = [JSONMember("lang", "en")]
            }
        )
        #expect(own.content.url == "app://match" && own.content.data == [JSONMember("lang", "en")])
    }

    @Test func `what shows nothing gets no title, and what is native gets nothing`() {
        let rules = AppContentRules(variables: [
            AppVariable(name: "title", standard: "News"), AppVariable(name: "lang", isRequired: true, standard: "es"),
        ])
        var silent = job { ($0.title, $0.contentAvailable) = (nil, true) }
        let content = completed(rules, silent).content
        #expect(content.title == nil && content.data.count == 1)
        silent.kind = .native
        #expect(completed(rules, silent).content.data.isEmpty && rules.problems(silent) == [])
        let body = job { ($0.title, $0.body) = (nil, "Goal") }
        #expect(completed(rules, body).content.title == "News")
    }

    @Test func `a default body is for the data messages of FCM, which the app draws`() {
        let rules = AppContentRules(variables: [AppVariable(name: "body", standard: "News")])
        func body(_ provider: ProviderName, _ android: DeliveryOptions.AndroidMessage?) -> String? {
            var job = job { _ in }
            job.delivery.android = android
            return rules.completed(job, for: provider).content.body
        }
        #expect(body(.fcm, .data) == "News")
        #expect([body(.fcm, .notification), body(.fcm, nil), body(.apns, .data)] == [nil, nil, nil])
        var own = job { $0.body = "Goal" }
        own.delivery.android = .data
        #expect(rules.completed(own, for: .fcm).content.body == "Goal")
    }

    @Test func `a default makes no other job of it`() {
        let rules = AppContentRules(payloadNames: PayloadNames([.media: "mediaUrl"]))
        #expect(completed(rules, job { _ in }).canonicalJSON() == job { _ in }.canonicalJSON())
    }

    @Test func `a key that the app reads from us is not the producer's`() {
        let rules = AppContentRules(payloadNames: PayloadNames([.media: "mediaUrl"]))
        let mine = found(rules) { $0.data = [JSONMember("mediaUrl", "x"), JSONMember("other", "y")] }
        #expect(mine == ["/content/data/mediaUrl reserved choose another key"])
    }
}
