import Campaigns
import Delivery
import Testing

@testable import Fleet

/// Spans of shards, without a collector.
@Suite struct SpanTests {
    private let context = TraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")

    private func shard(_ ordinal: UInt32 = 3) -> Shard {
        Shard(
            id: ShardID(key: ShardKey(campaign: 7, part: 0, ordinal: ordinal, child: 0)),
            generation: 1,
            attempt: 1,
            facts: Shard.Facts(
                app: "news",
                campaignID: "derby",
                provider: .apns,
                environment: nil,
                policy: DeliveryPolicy(),
                pushType: .alert,
                priority: 10,
                expiresAt: Timestamp(milliseconds: 90_000),
                collapseID: "",
                payload: []
            ),
            firstIndex: 0,
            positions: [],
            devices: DeviceBatch()
        )
    }

    private func span(_ ordinal: UInt32 = 3, epoch: UInt32 = 1, failed: Int = 0) throws -> ShardSpan {
        var progress = Progress(count: 2 + failed)
        for position in 0..<(2 + failed) {
            progress.end(position, position < 2 ? .accepted : .failed, Progress.Note(requests: 1))
        }
        let settlement = try #require(Settlement.make(progress: progress, attempt: 1))
        return ShardSpan(
            shard(ordinal),
            try #require(context),
            epoch: epoch,
            settlement,
            begin: Timestamp(milliseconds: 1_000),
            end: Timestamp(milliseconds: 1_250)
        )
    }

    @Test func `a span is the producer's child, with ids in hexadecimal and instants as text`() throws {
        let json = try span(failed: 1).json
        #expect(json["traceId"]?.string == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(json["parentSpanId"]?.string == "00f067aa0ba902b7")
        #expect(json["spanId"]?.string?.count == 16 && json["kind"]?.integer == 5)
        #expect(json["startTimeUnixNano"]?.string == "1000000000")
        #expect(json["endTimeUnixNano"]?.string == "1250000000")
        #expect(json["status"]?["code"]?.integer == 2)
        let attributes = try #require(json["attributes"]?.array)
        let values = Dictionary(attributes.map { ($0["key"]?.string ?? "", $0["value"]) }) { first, _ in first }
        #expect(values["messaging.destination.name"]??["stringValue"]?.string == "fanfare.v1.work.apns.bulk")
        #expect(values["fanfare.accepted"]??["intValue"]?.string == "2")
        #expect(values["fanfare.failed"]??["intValue"]?.string == "1")
    }

    @Test func `the same run has the same span, another run another one`() throws {
        #expect(try span().id == span().id)
        #expect(try span().id != span(epoch: 2).id)
        #expect(try span().id != span(4).id)
    }

    @Test func `a full queue takes no more, and what comes back is sent first`() throws {
        var buffer = SpanBuffer()
        for ordinal in 0..<(SpanBuffer.spansMax + 3) { buffer.add(try span(UInt32(ordinal))) }
        #expect(buffer.count == SpanBuffer.spansMax && buffer.dropped == 3)
        let first = buffer.take()
        #expect(first.count == SpanBuffer.batchMax)
        buffer.add(try span(9_999))
        buffer.giveBack(first)
        #expect(buffer.count == SpanBuffer.spansMax && buffer.dropped == 4)
        #expect(buffer.take().first == first[1])
    }
}
