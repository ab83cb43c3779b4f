import Campaigns
import PushProviders
import Testing

struct APNsRulesTests {
    private func problems(_ job: Job) -> [String] {
        APNsProvider().check(job, carriesMessageID: false).problems.map { "\($0.pointer) \($0.code)" }
    }

    /// Returns a job whose payload has exactly so many bytes.
    private func job(_ pushType: PushType, payloadBytes: Int) -> Job {
        var job = Fixtures.job {
            $0.delivery.pushType = pushType
            $0.content.body = ""
        }
        let rest = payloadBytes - APNsProvider().compile(job, carriesMessageID: false).payload.count
        job.content.body = String(repeating: "x", count: rest)
        return job
    }

    @Test func `a good alert has no problem and no warning`() {
        #expect(APNsProvider().check(Fixtures.job(), carriesMessageID: false) == JobCheck())
    }

    @Test(arguments: [(PushType.alert, 4096), (.voip, 5120), (.pushtotalk, 4096)])
    func `a payload may have the limit's bytes and not one more`(pushType: PushType, most: Int) throws {
        let fitting = job(pushType, payloadBytes: most)
        #expect(APNsProvider().compile(fitting, carriesMessageID: false).payload.count == most)
        #expect(problems(fitting) == [])
        let check = APNsProvider().check(job(pushType, payloadBytes: most + 1), carriesMessageID: false)
        let problem = try #require(check.problems.first)
        #expect(problem.code == "payload_too_large")
        #expect(problem.pointer == "/content")
        let (has, takes) = most == 4096 ? ("4,097", "4,096") : ("5,121", "5,120")
        #expect(
            problem.detail == "the payload has \(has) bytes; with push type \(pushType.rawValue) APNs takes \(takes)"
        )
        #expect(problem.fix?.hasPrefix("make it 1 byte shorter") == true)
    }

    @Test func `bytes count, not characters, and raw fields count too`() {
        let euros = Fixtures.job { $0.content.body = String(repeating: "€", count: 1400) }
        #expect(problems(euros) == ["/content payload_too_large"])
        let raw = Fixtures.job {
            $0.content.apns = .object([JSONMember("x", .string(String(repeating: "x", count: 4096)))])
        }
        #expect(problems(raw) == ["/content payload_too_large"])
    }

    @Test func `a background push is silent, says so, and has priority 5`() {
        let good = Fixtures.bare(.background) { $0.content.contentAvailable = true }
        #expect(problems(good) == [])
        for priority in [DeliveryOptions.Priority.high, .low] {
            let wrong = Fixtures.bare(.background) {
                $0.content.contentAvailable = true
                $0.delivery.priority = priority
            }
            #expect(problems(wrong) == ["/delivery/priority conflict"])
        }
        #expect(problems(Fixtures.bare(.background)) == ["/content/content_available required"])
        let loud = Fixtures.bare(.background) {
            $0.content.contentAvailable = true
            $0.content.sound = Sound(name: "default")
            $0.content.apns = .object([JSONMember("aps", .object([JSONMember("badge", .number(JSONNumber(1)))]))])
        }
        #expect(problems(loud) == ["/content/apns/aps/badge conflict", "/content/sound conflict"])
    }

    @Test func `an alert has something to see or hear, also by raw fields`() {
        #expect(problems(Fixtures.bare(.alert)) == ["/content empty"])
        #expect(problems(Fixtures.bare(.alert) { $0.content.badge = 0 }) == [])
        let raw = Fixtures.bare(.alert) {
            $0.content.apns = .object([JSONMember("aps", .object([JSONMember("alert", .string("raw"))]))])
        }
        #expect(problems(raw) == [])
        let silent = APNsProvider().check(
            Fixtures.bare(.alert) { $0.content.contentAvailable = true },
            carriesMessageID: false
        )
        #expect(silent.problems.first?.fix?.contains("background") == true)
    }

    @Test(arguments: [PushType.widgets, .controls])
    func `a widget's push shows nothing`(pushType: PushType) {
        #expect(problems(Fixtures.bare(pushType)) == [])
        #expect(problems(Fixtures.job { $0.delivery.pushType = pushType }) == ["/delivery/push_type conflict"])
    }

    @Test func `a Live Activity needs its fields, and its push type`() {
        #expect(
            problems(Fixtures.bare(.liveactivity)) == [
                "/content/live_activity/event required", "/content/live_activity/content_state required",
                "/content/live_activity/timestamp required",
            ]
        )
        func activity(_ event: String) -> LiveActivity {
            LiveActivity(event: event, contentState: .object([]), timestamp: 1)
        }
        #expect(problems(Fixtures.bare(.liveactivity) { $0.content.liveActivity = activity("update") }) == [])
        #expect(
            problems(Fixtures.bare(.liveactivity) { $0.content.liveActivity = activity("start") }) == [
                "/content/live_activity/attributes_type required", "/content/live_activity/attributes required",
                "/content/title required",
            ]
        )
        #expect(
            problems(Fixtures.job { $0.content.liveActivity = activity("update") }) == ["/delivery/push_type conflict"]
        )
    }

    @Test func `a collapse id has at most 64 bytes, and none that a header cannot have`() {
        func collapse(_ id: String) -> [String] { problems(Fixtures.job { $0.delivery.collapseID = id }) }
        #expect(collapse(String(repeating: "é", count: 32)) == [])
        #expect(collapse(String(repeating: "é", count: 32) + "x") == ["/delivery/collapse_id length"])
        #expect(collapse("") == ["/delivery/collapse_id empty"])
        for bad in ["a\nb", "a\u{0}", "a\u{7f}", " a", "a "] {
            #expect(collapse(bad) == ["/delivery/collapse_id format"])
        }
    }

    @Test func `raw fields are an object, and so is aps`() {
        #expect(problems(Fixtures.job { $0.content.apns = .string("x") }) == ["/content/apns type"])
        let raw = Fixtures.bare(.mdm) {
            $0.content.apns = .object([JSONMember("aps", .null), JSONMember("fanfare", .object([]))])
        }
        #expect(problems(raw) == ["/content/apns/aps type", "/content/apns/fanfare reserved"])
    }

    @Test func `all problems come at once`() {
        let job = Fixtures.bare(.background) {
            $0.delivery.priority = .high
            $0.delivery.collapseID = String(repeating: "x", count: 65)
            $0.content.body = String(repeating: "x", count: 5000)
        }
        #expect(
            problems(job) == [
                "/delivery/priority conflict", "/delivery/collapse_id length",
                "/content/content_available required", "/content conflict", "/content payload_too_large",
            ]
        )
    }

    @Test func `some push types need a provider token`() throws {
        let byCertificate = try Fixtures.account {
            $0.credential = .certificate(certificateFile: "a.pem", privateKeyFile: "b.pem")
        }
        for pushType in PushType.allCases {
            let codes = byCertificate.check(Fixtures.bare(pushType)).problems.map(\.pointer)
            #expect(codes == ([.location, .liveactivity].contains(pushType) ? ["/delivery/push_type"] : []))
            #expect(try Fixtures.account().check(Fixtures.bare(pushType)) == JobCheck())
        }
    }

    @Test func `raw fields that do not count are pointed to where they stand`() {
        let job = Fixtures.bare(.liveactivity) {
            $0.content.liveActivity = LiveActivity(event: "end", contentState: .object([]), timestamp: 1)
            $0.content.apns = .object([JSONMember("aps", .object([JSONMember("attributes-type", .string("Match"))]))])
        }
        let check = APNsProvider().check(job, carriesMessageID: false)
        #expect(check.problems == [])
        #expect(check.warnings.map(\.pointer) == ["/content/apns/aps/attributes-type"])
    }

    @Test func `what the decoder takes, Apple takes, and what it leaves to the provider is found here`() throws {
        func decoded(_ content: String, _ delivery: String = "{}") throws -> Job {
            let text =
                #"{"id":"j","app":"news","audience":{"list":"all"},"content":\#(content),"delivery":\#(delivery)}"#
            let decoding = JobDecoder.decode(
                Array(text.utf8),
                envelope: JobEnvelope(now: Fixtures.now, tokens: ProviderRegistry.tokens)
            )
            return try #require(decoding.job, "\(decoding.problems)")
        }
        #expect(problems(try decoded(#"{"title":"a","data":{"match":7}}"#)) == [])
        #expect(problems(try decoded(#"{"content_available":true}"#)) == [])
        #expect(problems(try decoded(#"{"badge":0}"#, #"{"push_type":"alert","collapse_id":"é é"}"#)) == [])
        #expect(problems(try decoded("{}", #"{"push_type":"widgets"}"#)) == [])
        let low = #"{"push_type":"background","priority":"low"}"#
        #expect(problems(try decoded(#"{"content_available":true}"#, low)) == ["/delivery/priority conflict"])
        let long = String(repeating: "x", count: 4096)
        #expect(problems(try decoded(#"{"body":"\#(long)"}"#)) == ["/content payload_too_large"])
        let raw = #"{"content_available":true,"apns":{"aps":{"sound":"default"}}}"#
        #expect(
            problems(try decoded(raw, #"{"push_type":"background"}"#)) == ["/content/apns/aps/sound conflict"]
        )
    }
}
