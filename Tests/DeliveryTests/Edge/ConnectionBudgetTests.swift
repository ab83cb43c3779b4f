import Delivery
import Seeds
import Testing

/// The limits on memory that a connection of the edge may make the server hold.
@Suite struct ConnectionBudgetTests {
    private func at(_ seconds: Double) -> MonotonicInstant { MonotonicInstant(nanoseconds: Int64(seconds * 1e9)) }

    @Test func `a stranger has a mebibyte, a device eight, and a proxy what the process has`() {
        let large = ProcessBudget(memory: 4 << 30)
        var budget = ConnectionBudget()
        #expect(budget.sessionBytesMax(large, held: 0) == 1 << 20)
        budget.proved()
        #expect(budget.sessionBytesMax(large, held: 0) == 8 << 20)
        var small = ProcessBudget(memory: 4000)
        #expect(budget.sessionBytesMax(small, held: 500) == 1500)
        small.change(by: 1007)
        #expect(budget.sessionBytesMax(small, held: 500) == 500)
        var proxy = ConnectionBudget(.proxy)
        proxy.proved()
        #expect(proxy.standing == .proxy)
        #expect(proxy.sessionBytesMax(large, held: 500) == (1 << 30) + 500)
    }

    @Test func `strangers leave half of the process to devices, and a device's first request finds room`() {
        var process = ProcessBudget(memory: 64 << 20)
        process.change(by: 8 << 20)
        let stranger = ConnectionBudget()
        #expect(stranger.sessionBytesMax(process, held: 0) == 1 << 16)
        #expect(stranger.sessionBytesMax(process, held: 1 << 16) == 1 << 16)
        #expect(stranger.sessionBytesMax(process, held: 1 << 18) == 1 << 18)
        var device = stranger
        device.proved()
        #expect(device.sessionBytesMax(process, held: 0) == 8 << 20)
        process.change(by: 8 << 20)
        #expect(stranger.sessionBytesMax(process, held: 0) == 0)
    }

    @Test func `requests that are answered count until they are, and no more than so many are`() {
        var budget = ConnectionBudget()
        #expect(budget.began(bytes: 600_000, held: 0, processRoom: .max) == .go)
        #expect(budget.sessionBytesMax(ProcessBudget(memory: 4 << 30), held: 0) == (1 << 20) - 600_000)
        #expect(budget.began(bytes: 600_000, held: 0, processRoom: .max) == .refuse(.connectionMemory))
        #expect(budget.began(bytes: 1, held: 0, processRoom: 0) == .refuse(.processMemory))
        budget.ended(bytes: 600_000)
        for _ in 0..<ConnectionBudget.answeringMax {
            #expect(budget.began(bytes: 10, held: 0, processRoom: .max) == .go)
        }
        #expect(budget.began(bytes: 10, held: 0, processRoom: .max) == .refuse(.answering))
    }

    @Test func `an answer waits for its client only where there is room`() {
        var budget = ConnectionBudget()
        #expect(budget.answer(bytes: 1 << 20, held: 1, processRoom: .max) == .refuse(.connectionMemory))
        budget.proved()
        #expect(budget.answer(bytes: 1 << 20, held: 7 << 20, processRoom: .max) == .go)
        #expect(budget.answer(bytes: 1 << 20, held: (7 << 20) + 1, processRoom: .max) == .refuse(.connectionMemory))
        #expect(budget.answer(bytes: 10, held: 0, processRoom: 9) == .refuse(.processMemory))
    }

    @Test func `whatever comes, never more is granted than there is`() {
        for seed in 0..<200 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var budget = ConnectionBudget(random.chance(0.2) ? .proxy : .stranger)
            var process = ProcessBudget(memory: 4 * (64 << 10) * (1 + random.below(100)))
            var under: [Int] = []
            for _ in 0..<500 {
                if random.chance(0.05) { budget.proved() }
                if random.chance(0.55) {
                    let bytes = random.below(200_000)
                    let (held, room) = (random.below(100_000), process.room)
                    if budget.began(bytes: bytes, held: held, processRoom: room) == .go {
                        under.append(bytes)
                        process.change(by: bytes)
                        #expect(budget.answeringBytes + held <= budget.bytesMax)
                    }
                } else if let bytes = under.popLast() {
                    budget.ended(bytes: bytes)
                    process.change(by: -bytes)
                }
                #expect(process.held <= process.bytesMax && process.held == under.reduce(0, +))
                #expect(budget.answering == under.count && budget.answering <= ConnectionBudget.answeringMax)
            }
            #expect(process.peak <= process.bytesMax)
        }
    }

    @Test func `resets are endured as far as they are few`() {
        var budget = ConnectionBudget()
        #expect(budget.resets(200, now: at(0)) == .go)
        #expect(budget.resets(200, now: at(0)) == .go)
        #expect(budget.resets(201, now: at(0)) == .goAway(.resets))
        var patient = ConnectionBudget()
        for second in 0..<1000 {
            #expect(patient.resets(33 * second, now: at(Double(second))) == .go)
        }
        #expect(patient.resets(33 * 999 + 201, now: at(999)) == .goAway(.resets))
    }

    @Test func `a request has half a minute, and a second more for each 16 KiB`() {
        #expect(!RequestDeadline.isOver(since: at(1), bytes: 0, now: at(30.9)))
        #expect(RequestDeadline.isOver(since: at(1), bytes: 0, now: at(31)))
        #expect(RequestDeadline.limit(bytes: 1 << 20) == .seconds(94))
        #expect(RequestDeadline.limit(bytes: -1) == .seconds(30))
        #expect(IdleRule.limit(.stranger, isFull: false) == .seconds(60))
        #expect(IdleRule.limit(.stranger, isFull: true) == .seconds(5))
        #expect(IdleRule.limit(.device, isFull: true) == .seconds(60))
    }
}

/// The limits on the number of connections.
@Suite struct ConnectionCapsTests {
    private func address(_ text: String) throws -> ClientAddress { try #require(ClientAddress(text)) }

    @Test func `descriptors are shared, with a reserve for the rest of the process`() {
        let caps = ConnectionCaps(descriptors: 1024, listeners: 2)
        #expect(caps.total == 448 && caps.ofAddress == 224)
        #expect(2 * caps.total + ConnectionCaps.reserve(descriptors: 1024) <= 1024)
        #expect(ConnectionCaps(descriptors: 1024, listeners: 2, total: 5000).total == 448)
        #expect(ConnectionCaps(descriptors: 1024, listeners: 2, total: 100, ofAddress: 7).ofAddress == 7)
        #expect(ConnectionCaps(descriptors: 20, listeners: 2).total == 8)
    }

    @Test func `accepting waits when there is no room, and an address has a part of it`() throws {
        var caps = ConnectionCaps(descriptors: 1_000_000, listeners: 1, total: 16, ofAddress: 3)
        for _ in 0..<14 { caps.opened() }
        #expect(caps.hasRoom && caps.isFull)
        caps.opened()
        caps.opened()
        #expect(!caps.hasRoom)
        caps.closed()
        #expect(caps.hasRoom)
        for last in 1...3 { #expect(try caps.named(address("2001:db8::\(last)")) == .accept) }
        #expect(try caps.named(address("2001:db8::ffff:1")) == .refuse(.addressConnections))
        #expect(try caps.named(address("2001:db8:0:1::1")) == .accept)
        caps.left(try address("2001:db8::9"))
        #expect(try caps.named(address("2001:db8::ffff:1")) == .accept)
    }

    @Test func `a process answers as many requests at once as its memory has room for tasks`() {
        var small = ProcessBudget(memory: 64 << 20)
        #expect(small.answeringMax == ProcessBudget.answeringFloor)
        #expect(ProcessBudget(memory: 4 << 30).answeringMax == 4096)
        while small.begins() {}
        #expect(small.answering == ProcessBudget.answeringFloor)
        small.ends()
        #expect(small.begins() && !small.begins())
    }
}
