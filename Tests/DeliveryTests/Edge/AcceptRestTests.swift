import Delivery
import Testing

@Suite struct AcceptRestTests {
    @Test func `an address that cannot accept rests twice as long each time, a second at most`() {
        var rest = AcceptRest()
        let rests = (0..<100).map { _ in rest.failed() }
        #expect(rests.prefix(5) == [50, 100, 200, 400, 800].map { Duration.milliseconds($0) }[...])
        #expect(rests.dropFirst(5).allSatisfy { $0 == AcceptRest.longest })
    }

    @Test func `it begins anew with the next connection`() {
        var rest = AcceptRest()
        for _ in 0..<20 { _ = rest.failed() }
        rest.accepted()
        #expect(rest.failed() == AcceptRest.first)
    }
}
