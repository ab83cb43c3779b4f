import Campaigns
import PushProviders
import Testing

/// Tests that every provider must pass; a new one needs a specimen and nothing here.
struct ProviderConformanceTests {
    @Test func `every provider that is built in has a specimen`() {
        #expect(ProviderSpecimen.all.map(\.provider.name) == ProviderRegistry.providers.map(\.name))
        #expect(ProviderRegistry.tokens.names == ProviderRegistry.ofBlocks.map(\.name.rawValue))
    }

    // MARK: Limits

    @Test(arguments: ProviderSpecimen.all)
    func `limits are those that a fleet can live with`(specimen: ProviderSpecimen) {
        let limits = specimen.provider.limits
        #expect((1...64).contains(limits.collapseIDBytesMax))
        #expect(limits.storage > .zero && limits.storage <= .seconds(30 * 86_400))
        // Google asks for at least ten seconds, and a black hole must not hold a stream for more than a minute.
        #expect(limits.streamDeadline >= .seconds(10) && limits.streamDeadline <= .seconds(60))
        #expect(specimen.provider.firstRung <= .minutes2)
    }

    @Test(arguments: ProviderSpecimen.all)
    func `a body over the provider's size is refused where it enters`(specimen: ProviderSpecimen) {
        let most = specimen.provider.compile(specimen.job(), carriesMessageID: false).payloadBytesMax
        let large = specimen.job { $0.content.body = String(repeating: "x", count: most) }
        let codes = specimen.provider.check(large, carriesMessageID: false).problems.map(\.code)
        #expect(codes.contains(ProblemCode.payloadTooLarge.rawValue))
        #expect(specimen.provider.check(specimen.job(), carriesMessageID: false).problems.isEmpty)
    }

    // MARK: Requests

    @Test(arguments: ProviderSpecimen.all)
    func `headers are legal in HTTP/2, and secrets are never indexed`(specimen: ProviderSpecimen) throws {
        let facts = specimen.facts(Fixtures.job { $0.delivery.collapseID = "derby score" })
        let value = Array("secret x.y-z".utf8)
        let requests = try specimen.account().requests(for: facts, authorization: value, now: Fixtures.now)
        let names = requests.headers.map { String(decoding: $0.name, as: UTF8.self) }
        #expect(Set(names).count == names.count)
        #expect(names.prefix { $0.hasPrefix(":") } == names.filter { $0.hasPrefix(":") }[...])
        #expect(names.filter { $0.hasPrefix(":") }.sorted() == [":authority", ":method", ":path", ":scheme"])
        for (name, header) in zip(names, requests.headers) {
            // RFC 9110, 5.6.2 and RFC 9113, 8.2: lower-case tokens, and no connection-specific fields.
            #expect(
                name.drop { $0 == ":" }.utf8.allSatisfy {
                    (97...122).contains($0) || (48...57).contains($0) || $0 == 45
                }
            )
            #expect(
                !["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "host"].contains(name)
            )
            guard case .constant(let value) = header.value else { continue }
            #expect(value.allSatisfy { $0 >= 0x20 && $0 != 0x7f } && value.first != 0x20 && value.last != 0x20)
            if value == Array("secret x.y-z".utf8) { #expect(header.indexing == .never) }
        }
        #expect(requests.isAccepted(status: specimen.success))
    }

    @Test(arguments: ProviderSpecimen.all)
    func `what is written for a device stays within its room, and is the same each time`(
        specimen: ProviderSpecimen
    ) throws {
        for carriesMessageID in [false, true] {
            let facts = specimen.facts(Fixtures.job(), carriesMessageID: carriesMessageID)
            let requests = try specimen.account().requests(for: facts, authorization: [1], now: Fixtures.now)
            let form = specimen.provider.tokens
            let token = form.bytes(of: try #require(form.token(specimen.token)).text)
            let (first, second) = (Self.written(requests, token, 7), Self.written(requests, token, 7))
            #expect(first == second)
            #expect(first.count == requests.template.count + requests.tail(tokenBytes: token.count))
            // Neither shorter nor longer tokens write beyond it, whatever their bytes are.
            for length in [0, 1, 7, 300] { _ = Self.written(requests, [UInt8](repeating: 0xff, count: length), .max) }
        }
    }

    @Test(arguments: ProviderSpecimen.all)
    func `who can judge a push without delivering it says so, and is asked with the same request but for its body`(
        specimen: ProviderSpecimen
    ) throws {
        let facts = specimen.facts(Fixtures.job())
        let account = try specimen.account()
        let requests = account.requests(for: facts, authorization: [1], now: Fixtures.now)
        let validation = account.validation(for: facts, authorization: [1], now: Fixtures.now)
        #expect((validation != nil) == specimen.provider.canValidate)
        guard let validation else { return }
        #expect(validation.headers == requests.headers && validation.path == requests.path)
        #expect(validation.body != requests.body)
        #expect(validation.isAccepted(status: specimen.success))
    }

    /// Writes a device's request and checks the bytes around it.
    static func written(_ requests: PreparedRequests, _ token: [UInt8], _ device: UInt32) -> [UInt8] {
        let guardByte: UInt8 = 0x7e
        let tail = requests.tail(tokenBytes: token.count)
        var memory = [guardByte] + requests.template + [UInt8](repeating: 0, count: tail) + [guardByte]
        memory.withUnsafeMutableBytes { memory in
            let room = UnsafeMutableRawBufferPointer(rebasing: memory[1..<memory.count - 1])
            token.withUnsafeBytes { requests.fill(room, token: $0, device: device) }
        }
        #expect(memory.first == guardByte && memory.last == guardByte)
        return Array(memory[1..<memory.count - 1])
    }

    @Test(arguments: ProviderSpecimen.all)
    func `the same job compiles to the same bytes, also in another order of calls`(specimen: ProviderSpecimen) {
        let job = Fixtures.job { job in
            job.content.body = "Hi {{ first }}"
            job.content.data = [JSONMember("match", 7), JSONMember("who", "{{ first }}")]
            job.content.badgeStep = .up
        }
        let push = specimen.provider.compile(job, carriesMessageID: true)
        _ = specimen.provider.compile(Fixtures.job(), carriesMessageID: false)
        #expect(specimen.provider.compile(job, carriesMessageID: true) == push)
        #expect((push.messageIDAt == nil) == specimen.isForChannels && !push.personal.placeholders.isEmpty)
    }

    @Test(arguments: ProviderSpecimen.all)
    func `any job compiles, and what comes of it is JSON`(specimen: ProviderSpecimen) {
        var generator = ContentGenerator(seed: 7)
        for index in 0..<300 {
            let push = specimen.provider.compile(generator.job(), carriesMessageID: index.isMultiple(of: 2))
            guard push.personal.isEmpty else { continue }
            #expect(JSONReader.read(push.payload).problems.isEmpty, "\(String(decoding: push.payload, as: UTF8.self))")
        }
    }

    // MARK: Tokens

    @Test(arguments: ProviderSpecimen.all)
    func `a token is kept and shown in one way, and what is none is refused with a rule`(
        specimen: ProviderSpecimen
    ) throws {
        let form = specimen.provider.tokens
        #expect(form.provider == specimen.provider.name)
        let reading = try #require(form.token(specimen.token))
        #expect(form.token(reading.text) == reading)
        #expect(form.text(of: form.bytes(of: reading.text)) == reading.text)
        #expect(form.token(specimen.brokenToken) == nil && form.token("") == nil)
        #expect(!form.rule.isEmpty)
        for text in ["\0", "\r\n", String(repeating: "\u{301}", count: 40), String(repeating: "a", count: 70_000)] {
            #expect(form.token(text) == nil)
            // A text about a token never contains the token.
            if let fix = form.fix(for: specimen.brokenToken) { #expect(!fix.contains(specimen.brokenToken)) }
        }
    }

    // MARK: Settings

    @Test(arguments: ProviderSpecimen.all)
    func `a block with a setting that there is not is refused by its name, and shows no secret`(
        specimen: ProviderSpecimen
    ) throws {
        let refused = #expect(throws: SettingsRefused.self) { try specimen.account(["nonsense": "1"]) }
        #expect(refused?.problems.map(\.pointer) == ["/nonsense"])
        let account = try specimen.account()
        let summary = account.summary.map { $0.name + $0.value }.joined()
        for secret in specimen.secrets {
            #expect(!summary.contains(secret) && !account.credential.summary.contains(secret))
        }
        #expect(account.credential.files.allSatisfy { specimen.files[$0] != nil })
    }
}
