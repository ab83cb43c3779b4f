import Campaigns
import PushProviders
import Testing

/// Templates in a payload: their positions, and text that is no template.
struct PersonalPayloadTests {
    /// Returns a device's payload.
    private func payload(
        _ job: Job,
        _ variables: [String: String],
        carriesMessageID: Bool = false
    ) throws -> String {
        let push = APNsProvider().compile(job, carriesMessageID: carriesMessageID)
        let program = try TemplateProgram(
            payload: push.payload,
            placeholders: push.personal.placeholders,
            messageIDAt: push.messageIDAt
        )
        var batch = DeviceBatch()
        batch.append(token: [1], variables: variables)
        let renderer = TemplateRenderer(program, batch, bytesMax: push.payloadBytesMax)
        if let failure = renderer.render(0) { return "\(failure)" }
        return String(decoding: renderer.bytes, as: UTF8.self)
    }

    @Test func `every field that may be a template is one`() throws {
        let job = Fixtures.job { job in
            job.content.title = "Hi {{ a }}"
            job.content.subtitle = "{{ a }}"
            job.content.body = "{{ a | upcase }} \"{{ b }}\""
            job.content.titleLocKey = "K"
            job.content.titleLocArgs = ["{{ a }}", "x"]
            job.content.threadID = "t-{{ b }}"
            job.content.badgeTemplate = "{{ n }}"
            job.content.sound = Sound(name: "default")
            job.content.data = [
                JSONMember("match", .array([.string("{{ b }}"), .object(["deep": .string("{{ a }}")])]))
            ]
        }
        #expect(
            try payload(job, ["a": "Ana", "b": "7\"", "n": "3"])
                == #"{"aps":{"alert":{"title":"Hi Ana","subtitle":"Ana","body":"ANA \"7\"\"","title-loc-key":"K","#
                + #""title-loc-args":["Ana","x"]},"sound":"default","thread-id":"t-7\"","badge":3},"#
                + #""match":["7\"",{"deep":"Ana"}]}"#
        )
        #expect(try payload(job, ["n": ""]).contains(#""thread-id":"t-"},"match""#))
    }

    @Test func `a counted badge is each device's own number, or left out`() throws {
        let job = Fixtures.job { job in
            job.content.title = "Hi"
            job.content.badgeStep = .up
        }
        #expect(try payload(job, [BadgeStep.variable: "7"]) == #"{"aps":{"alert":{"title":"Hi"},"badge":7}}"#)
        #expect(try payload(job, [:]) == #"{"aps":{"alert":{"title":"Hi"}}}"#)
        var raw = job
        raw.content.apns = .object(["aps": .object(["badge": 2])])
        #expect(try payload(raw, [BadgeStep.variable: "7"]) == #"{"aps":{"alert":{"title":"Hi"},"badge":2}}"#)
        #expect(job.content.badgeChange == .step(.up) && raw.content.badgeChange == .count(2))
    }

    @Test(arguments: [(0, true), (1, false)])
    func `a payload must have room for the longest count`(more: Int, isFine: Bool) {
        let job = Fixtures.job { job in
            job.content.title = nil
            job.content.badgeStep = .up
            let around = #"{"aps":{"alert":{"body":""},"badge":2147483647}}"#.utf8.count
            job.content.body = String(repeating: "x", count: 4096 - around + more)
        }
        let problems = APNsProvider().check(job, carriesMessageID: false).problems
        #expect(problems.isEmpty == isFine)
        #expect(isFine || problems.first?.code == "payload_too_large")
    }

    @Test func `links and media are in the fanfare object, around the message id`() throws {
        let job = Fixtures.job { job in
            job.content.url = "app://match/{{ m }}"
            job.content.mediaURL = "https://cdn.example.com/{{ m }}.jpg"
            job.content.actions = [ActionLink(id: "LIKE", url: "app://like/{{ m }}")]
        }
        let text = try payload(job, ["m": "7"], carriesMessageID: true)
        let blank = String(repeating: "-", count: 22)
        #expect(
            text.hasSuffix(
                #","fanfare":{"v":1,"c":"derby-2026","m":""# + blank
                    + #"","u":"app://match/7","i":"https://cdn.example.com/7.jpg","a":{"LIKE":"app://like/7"}}}"#
            )
        )
    }

    @Test func `raw fields of the provider are never templates, also where they replace one`() throws {
        let raw =
            #"{"aps": {"alert": {"title": "{{ a }}", "x": ["{{ a }}"]}, "y": "{{ a }}"}, "data": {"z": "{{ a }}"}}"#
        let job = Fixtures.job { job in
            job.content.title = "{{ a }}"
            job.content.body = "{{ a }}"
            job.content.data = [JSONMember("data", .object(["own": .string("{{ a }}")]))]
            job.content.apns = JSONReader.read(Array(raw.utf8)).value
        }
        #expect(
            try payload(job, ["a": "Ana"])
                == #"{"aps":{"alert":{"title":"{{ a }}","body":"Ana","x":["{{ a }}"]},"y":"{{ a }}"},"#
                + #""data":{"own":"Ana","z":"{{ a }}"}}"#
        )
    }

    @Test func `a job without templates compiles to one piece`() {
        let push = APNsProvider().compile(Fixtures.job { $0.content.badge = 3 }, carriesMessageID: false)
        #expect(push.segments.count == 1 && push.personal.isEmpty)
    }

    @Test func `a collapse id that is a template is left to each device, and the hash stands in for nothing`() {
        let push = APNsProvider().compile(
            Fixtures.job { $0.delivery.collapseID = "score-{{ club }}" },
            carriesMessageID: false
        )
        #expect(push.personal.collapseID == "score-{{ club }}")
        #expect(push.collapseID == APNsProvider().compile(Fixtures.job(), carriesMessageID: false).collapseID)
    }

    @Test func `a localization over the limit is told at its place`() {
        let job = Fixtures.job { job in
            var other = Localization(locale: "pt-BR", content: Content())
            other.content.body = String(repeating: "x", count: 4090)
            job.content.localizations = [other]
        }
        let problems = APNsProvider().check(job, carriesMessageID: false).problems
        #expect(problems.map(\.pointer) == ["/content/localizations/pt-BR"])
        #expect(problems.map(\.code) == ["payload_too_large"])
    }

    @Test func `what a header cannot carry is no collapse id`() {
        for (text, isFine) in [("score", true), ("", true), (" a", false), ("a ", false), ("a\nb", false), ("é", true)]
        {
            var text = text
            #expect(text.withUTF8 { PersonalRequests.isHeaderValue(UnsafeRawBufferPointer($0)) } == isFine)
        }
    }
}
