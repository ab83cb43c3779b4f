import Delivery
import Testing

@Suite struct AcceptCooldownTests {
    @Test func `an address that cannot accept rests twice as long each time, a second at most`() {
        var rest = AcceptCooldown()
        let rests = (0..<100).map { _ in rest.failed() }
        #expect(rests.prefix(5) == [50, 100, 200, 400, 800].map { Duration.milliseconds($0) }[...])
        #expect(rests.dropFirst(5).allSatisfy { $0 == AcceptCooldown.longest })
    }

    @Test func `it begins anew with the next connection`() {
        var rest = AcceptCooldown()
        for _ in 0..<20 { _ = rest.failed() }
        rest.accepted()
        #expect(rest.failed() == AcceptCooldown.first)
    }
}
