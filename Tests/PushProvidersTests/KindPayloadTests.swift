import Campaigns
import Testing

@testable import PushProviders

/// The payloads of the kinds on each provider, byte by byte.
struct KindPayloadTests {
    private static let blank = String(repeating: "-", count: 22)

    private func apns(_ job: Job, carriesMessageID: Bool = true) -> String {
        Fixtures.payload(job, carriesMessageID: carriesMessageID)
    }

    private func fcm(_ job: Job) -> JSONValue? {
        JSONReader.read(FCMProvider().compile(job, carriesMessageID: true).payload).value
    }

    private func web(_ job: Job) -> JSONValue? {
        JSONReader.read(WebPushProvider().compile(job, carriesMessageID: true).payload).value
    }

    /// Returns the object `fanfare`, which FCM carries as text.
    private func fcmObject(_ job: Job) -> JSONValue? {
        fcm(job)?["data"]?["fanfare"]?.string.flatMap { JSONReader.read(Array($0.utf8)).value }
    }

    private static let announcement = Fixtures.job {
        $0.kind = .announcement
        $0.content.announcement = Announcement(format: .html, body: "<h1>Final</h1>")
    }
    private static let poll = Fixtures.job {
        $0.kind = .poll
        let choices = [Poll.Choice(id: "a", title: "A")]
        $0.content.poll = Poll(questions: [Poll.Question(id: "q", title: "?", choices: choices)])
    }
    private static let push = Fixtures.bare(nil) {
        $0.kind = .dataPush
        $0.content.contentAvailable = true
        $0.content.dataPush = DataPush(encoding: .base64, body: "aGk=", category: "sync")
    }
    private static let rich = Fixtures.bare(nil) {
        $0.content.contentAvailable = true
        $0.content.rich = RichReference(type: "coupon", id: "c-81")
    }

    @Test func `an announcement and a poll are named by the campaign's id, and only by it`() {
        for (job, kind) in [(Self.announcement, "announcement"), (Self.poll, "poll")] {
            let object =
                #"{"v":1,"c":"derby-2026","m":"\#(Self.blank)","k":"\#(kind)","r":"derby-2026","t":"\#(kind)"}"#
            #expect(apns(job) == #"{"aps":{"alert":{"title":"Kick-off"}},"fanfare":\#(object)}"#)
            let value = JSONReader.read(Array(object.utf8)).value
            #expect(fcmObject(job) == value && web(job)?["fanfare"] == value)
            #expect(!apns(job).contains("<h1>"))
        }
    }

    @Test func `a push says when the system alone tells of it, and which category picks who draws it`() {
        let job = Fixtures.job {
            $0.delivery.show = .system
            $0.content.layout = "COUPON"
        }
        let object = #"{"v":1,"c":"derby-2026","m":"\#(Self.blank)","l":"COUPON","s":"system"}"#
        #expect(apns(job) == #"{"aps":{"alert":{"title":"Kick-off"}},"fanfare":\#(object)}"#)
        #expect(fcmObject(job) == JSONReader.read(Array(object.utf8)).value)
        var any = job
        (any.delivery.show, any.content.layout) = (.any, nil)
        #expect(!apns(any).contains("system") && !apns(any).contains("\"l\""))
        // A campaign without a push has the same object.
        let said = FanfareObject.value(job, messageID: Self.blank)
        #expect(said == JSONReader.read(Array(object.utf8)).value)
    }

    @Test func `a silent push names rich content and shows nothing`() {
        let object = #"{"v":1,"c":"derby-2026","m":"\#(Self.blank)","r":"c-81","t":"coupon"}"#
        #expect(apns(Self.rich) == #"{"aps":{"content-available":1},"fanfare":\#(object)}"#)
        #expect(fcm(Self.rich)?["notification"] == nil)
        #expect(fcmObject(Self.rich) == JSONReader.read(Array(object.utf8)).value)
        let push = APNsProvider().compile(Self.rich, carriesMessageID: true)
        #expect(push.pushType == .background && push.priority == 5)
    }

    @Test func `a data push carries its body as it was sent, with how to read it and for whom`() {
        let object =
            #"{"v":1,"c":"derby-2026","m":"\#(Self.blank)","k":"data_push","d":"aGk=","e":"base64","g":"sync"}"#
        #expect(apns(Self.push) == #"{"aps":{"content-available":1},"fanfare":\#(object)}"#)
        #expect(fcmObject(Self.push) == JSONReader.read(Array(object.utf8)).value)
        #expect(fcm(Self.push)?["android"]?["priority"] == "NORMAL" && fcm(Self.push)?["notification"] == nil)
        var text = Self.push
        text.content.dataPush = DataPush(encoding: .text, body: "ü \"{\"")
        #expect(fcmObject(text)?["d"] == "ü \"{\"" && fcmObject(text)?["e"] == nil && fcmObject(text)?["g"] == nil)
    }

    @Test func `a native push is what was written, with the fanfare object beside it`() {
        let job = Fixtures.bare(nil) {
            $0.kind = .native
            $0.content.apns = ["aps": ["alert": "Hi"], "own": 1]
            $0.content.fcm = ["notification": ["title": "Hi"], "data": ["a": "b"]]
        }
        #expect(apns(job, carriesMessageID: false) == #"{"aps":{"alert":"Hi"},"own":1}"#)
        let bare = JSONReader.read(FCMProvider().compile(job, carriesMessageID: false).payload).value
        #expect(
            bare == ["android": ["priority": "HIGH"], "notification": ["title": "Hi"], "data": ["a": "b"]]
        )
        #expect(apns(job).contains(#""k":"native""#))
        #expect(APNsProvider().check(job, carriesMessageID: true) == JobCheck())
        #expect(FCMProvider().check(job, carriesMessageID: true) == JobCheck())
        #expect(WebPushProvider().check(job, carriesMessageID: true).problems.map(\.pointer) == ["/content"])
        var apple = job
        apple.content.fcm = nil
        #expect(FCMProvider().check(apple, carriesMessageID: true).problems.map(\.pointer) == ["/content/fcm"])
        var google = job
        google.content.apns = nil
        #expect(APNsProvider().check(google, carriesMessageID: true).problems.map(\.pointer).first == "/content/apns")
    }

    @Test func `without a message key a kind adds nothing to the payload`() {
        #expect(apns(Self.announcement, carriesMessageID: false) == #"{"aps":{"alert":{"title":"Kick-off"}}}"#)
    }

    @Test func `media sets mutable-content and is Android's image`() {
        let job = Fixtures.job { $0.content.mediaURL = "https://cdn.example.com/a.jpg" }
        #expect(apns(job).contains(#""mutable-content":1"#))
        #expect(fcm(job)?["notification"]?["image"] == "https://cdn.example.com/a.jpg")
    }

    // MARK: - Names of the app's own

    private static let adobe = PayloadNames([
        .messageID: "_mId", .deliveryID: "_dId", .message: "_msg", .url: "url", .media: "mediaUrl",
    ])

    @Test func `what has a name of the app's own stands beside aps, and in the object no more`() {
        let job = Fixtures.job {
            $0.payloadNames = Self.adobe
            $0.content.body = "Goal"
            $0.content.url = "app://m/7"
            $0.content.mediaURL = "https://cdn.example.com/a.jpg"
        }
        let peers =
            #""_dId":"derby-2026","url":"app://m/7","mediaUrl":"https://cdn.example.com/a.jpg","_msg":"Goal","#
            + #""_mId":"\#(Self.blank)""#
        #expect(apns(job).hasSuffix("," + peers + "}") && !apns(job).contains("fanfare"))
        let data = fcm(job)?["data"]
        #expect(data?["_mId"]?.string == Self.blank && data?["_dId"] == "derby-2026" && data?["_msg"] == "Goal")
        #expect(data?["fanfare"] == nil && data?["mediaUrl"] == "https://cdn.example.com/a.jpg")
        #expect(web(job)?["_mId"]?.string == Self.blank && web(job)?["url"] == "app://m/7")
        #expect(web(job)?.members?.count { $0.name == "url" } == 1)
    }

    @Test func `a rich push of an app in the field has its three names`() {
        var job = Self.rich
        job.content.contentAvailable = false
        job.content.body = "A coupon for you"
        job.payloadNames = PayloadNames([.richID: "richId", .richType: "richType", .richMessage: "richMessage"])
        let object = #"{"v":1,"c":"derby-2026","m":"\#(Self.blank)"}"#
        let peers = #""richId":"c-81","richType":"coupon","richMessage":"A coupon for you""#
        #expect(apns(job) == #"{"aps":{"alert":{"body":"A coupon for you"}},"fanfare":\#(object),\#(peers)}"#)
    }

    @Test func `a silent push has the three names of an app in the field together, with a message of its own`() {
        var job = Self.rich
        job.content.rich?.message = "Ten percent"
        // Beside the id, for an app that reads our object.
        let object = #"{"v":1,"c":"derby-2026","m":"\#(Self.blank)","r":"c-81","t":"coupon","x":"Ten percent"}"#
        #expect(apns(job) == #"{"aps":{"content-available":1},"fanfare":\#(object)}"#)
        job.payloadNames = PayloadNames([.richID: "richId", .richType: "richType", .richMessage: "richMessage"])
        let peers = #""richId":"c-81","richType":"coupon","richMessage":"Ten percent""#
        let rest = #"{"v":1,"c":"derby-2026","m":"\#(Self.blank)"}"#
        #expect(apns(job) == #"{"aps":{"content-available":1},"fanfare":\#(rest),\#(peers)}"#)
        #expect(APNsProvider().check(job, carriesMessageID: true) == JobCheck())
        let data = fcm(job)?["data"]
        #expect(data?["richId"] == "c-81" && data?["richType"] == "coupon" && data?["richMessage"] == "Ten percent")
        #expect(fcm(job)?["notification"] == nil)
        // Once, and without the alert's text, if both exist.
        job.content.contentAvailable = false
        job.content.body = "A coupon for you"
        #expect(apns(job).hasSuffix(peers + "}"))
        job.payloadNames = PayloadNames([.message: "_msg"])
        #expect(apns(job).hasSuffix(#","_msg":"A coupon for you"}"#))
    }

    @Test func `an empty sound beside content-available is a silent push`() {
        let silent = Fixtures.bare(nil) {
            $0.content.contentAvailable = true
            $0.content.apns = ["aps": ["sound": ""], "richId": "1"]
        }
        let native = Fixtures.bare(nil) {
            $0.kind = .native
            $0.content.apns = ["aps": ["content-available": 1, "sound": ""], "richId": "1"]
        }
        for job in [silent, native] {
            #expect(APNsProvider().check(job, carriesMessageID: true) == JobCheck())
            let push = APNsProvider().compile(job, carriesMessageID: true)
            #expect(push.pushType == .background && push.priority == 5)
        }
        var loud = native
        loud.content.apns = ["aps": ["content-available": 1, "sound": "default"]]
        #expect(APNsProvider().compile(loud, carriesMessageID: true).pushType == .alert)
    }

    @Test func `the numbers that an app in the field parses stand beside the signed id`() {
        let numbers = LegacyNumbers(app: "news", id: "derby-2026")
        let job = Fixtures.job {
            $0.payloadNames = PayloadNames([.messageNumber: "_mId", .deliveryNumber: "_dId"])
        }
        let object = #"{"v":1,"c":"derby-2026","m":"\#(Self.blank)"}"#
        let peers = #""_mId":\#(numbers.message),"_dId":\#(numbers.delivery)"#
        #expect(apns(job) == #"{"aps":{"alert":{"title":"Kick-off"}},"fanfare":\#(object),\#(peers)}"#)
        let data = fcm(job)?["data"]
        #expect(data?["_mId"]?.string == String(numbers.message) && data?["_dId"]?.string == String(numbers.delivery))
        #expect(fcmObject(job)?["m"]?.string == Self.blank)
        #expect(web(job)?["_mId"]?.integer == Int64(numbers.message))
    }

    @Test(arguments: ["", "_mId", "a-rather-long.name_of_a_message"])
    func `a device's id is written into the place, and goes with its member where there is no key`(
        _ name: String
    ) throws {
        let names = PayloadNames(name.isEmpty ? [:] : [.messageID: name, .deliveryID: "_dId"])
        for template in ["Goal", "Goal {{ first }}, really"] {
            let job = Fixtures.job {
                $0.payloadNames = names
                $0.content.body = template
                $0.content.url = "app://m/{{ match }}"
            }
            for provider in [APNsProvider(), FCMProvider(), WebPushProvider()] as [any PushProvider] {
                let push = provider.compile(job, carriesMessageID: true)
                let offset = Int(try #require(push.messageIDAt))
                #expect(push.payload[offset..<offset + 22].allSatisfy { $0 == UInt8(ascii: "-") })
                var facts = Fixtures.facts(job)
                (facts.payload, facts.messageIDAt, facts.personal) = (push.payload, push.messageIDAt, push.personal)
                let bare = facts.withoutMessageID()
                #expect(
                    JSONReader.read(bare.payload).problems.isEmpty,
                    "\(String(decoding: bare.payload, as: UTF8.self))"
                )
                #expect(!String(decoding: bare.payload, as: UTF8.self).contains(Self.blank))
                let removed = push.payload.count - bare.payload.count
                #expect(removed >= (name.isEmpty ? 6 : name.utf8.count + 5) + 22 + 1)
                // The templates are at the same positions as in the text.
                #expect(bare.personal.placeholders.count == push.personal.placeholders.count)
                let program = try TemplateProgram(
                    payload: bare.payload,
                    placeholders: bare.personal.placeholders,
                    messageIDAt: nil
                )
                var batch = DeviceBatch()
                batch.append(token: [1], variables: ["first": "Ana", "match": "7"])
                let renderer = TemplateRenderer(program, batch, bytesMax: 4096)
                #expect(renderer.render(0) == nil)
                #expect(JSONReader.read(Array(renderer.bytes)).problems.isEmpty)
            }
        }
    }

    // MARK: - Sizes

    @Test func `the object has 160 bytes besides links, unless ids are long, and then it is said`() {
        #expect(FanfareObject.warnings(Self.announcement) == [] && FanfareObject.warnings(Fixtures.job()) == [])
        var job = Self.announcement
        job.id = String(repeating: "x", count: 31)
        job.content.url = "app://" + String(repeating: "y", count: 400)
        #expect(FanfareObject.warnings(job) == [])
        job.id += "x"
        #expect(FanfareObject.warnings(job).map(\.pointer) == ["/id"])
    }

    @Test func `a data push is refused with the first byte over the limit`() {
        var job = Self.push
        job.content.dataPush = DataPush(encoding: .text, body: "")
        let room = 4096 - APNsProvider().compile(job, carriesMessageID: true).payload.count
        job.content.dataPush = DataPush(encoding: .text, body: String(repeating: "x", count: room))
        #expect(APNsProvider().check(job, carriesMessageID: true) == JobCheck())
        job.content.dataPush = DataPush(encoding: .text, body: String(repeating: "x", count: room + 1))
        #expect(APNsProvider().check(job, carriesMessageID: true).problems.map(\.code) == ["payload_too_large"])
    }
}
