import Campaigns
import PushProviders
import Testing

/// Bodies as RabbitMQ 3.10.8 and 4.0.5 deliver them, seen with python-qpid-proton 0.37.
@Suite("A job from AMQP 1.0")
struct AMQP1BodyTests {
    private let now = JobFixtures.now
    private let job = Array(JobFixtures.minimal.utf8)

    private func decode(
        _ body: [UInt8],
        type: String?,
        isTranslated: Bool = false,
        timestamp: Int64? = nil
    )
        -> JobDecoding
    {
        var envelope = JobEnvelope(
            type: type,
            timestampSeconds: timestamp,
            now: now,
            tokens: ProviderRegistry.tokens
        )
        envelope.isTranslated = isTranslated
        return JobDecoder.decode(body, envelope: envelope)
    }

    /// A section `amqp-value` with a value of this type.
    private func section(_ type: UInt8, _ content: [UInt8], descriptor: [UInt8] = [0, 0x53, 0x77]) -> [UInt8] {
        let count = content.count
        let length =
            type < 0xB0 ? [UInt8(truncatingIfNeeded: count)] : [24, 16, 8, 0].map { UInt8(count >> $0 & 0xFF) }
        return descriptor + [type] + length + content
    }

    @Test(arguments: [0xB0, 0xB1] as [UInt8])
    func `a string or binary value is the job`(type: UInt8) {
        #expect(decode(section(type, job), type: "amqp-1.0").job?.id == "hello-1")
        let long: [UInt8] = [0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x77]
        #expect(decode(section(type, job, descriptor: long), type: "amqp-1.0").job?.id == "hello-1")
    }

    @Test(arguments: [0xA0, 0xA1] as [UInt8])
    func `a short value is read too`(type: UInt8) {
        let decoding = decode(section(type, Array("{}".utf8)), type: "amqp-1.0")
        #expect(
            decoding.problems.contains { $0.pointer == "/content" && $0.code == "required" },
            "\(decoding.problems)"
        )
    }

    @Test func `maps, lists, values that are cut off and bytes after them are refused by name`() {
        let whole = section(0xB1, job)
        let bodies: [[UInt8]] = [
            [], [0], [0, 0x53, 0x77], [0, 0x53, 0x77, 0xB1, 0], [0, 0x53, 0x77, 0xD1, 0, 0, 0, 0],
            [0, 0x53, 0x76, 0x45],
            whole.dropLast(), whole + [0], job, section(0xB1, job, descriptor: [0, 0x53, 0x78]),
        ]
        for body in bodies {
            let decoding = decode(body, type: "amqp-1.0")
            #expect(decoding.problems.map { "\($0.pointer) \($0.code)" } == [" message_type"], "\(body.prefix(12))")
        }
    }

    @Test func `a data section is the body itself, whose type RabbitMQ until 3.12 sets`() {
        #expect(decode(job, type: nil).job != nil)
        #expect(decode(job, type: "binary", isTranslated: true).job != nil)
        #expect(decode(job, type: "binary").problems.map(\.code) == ["message_type"])
    }

    @Test func `RabbitMQ until 3.12 leaves the creation time in milliseconds`() {
        let created = now.advanced(by: .milliseconds(-60_250))
        let decoding = decode(job, type: "binary", isTranslated: true, timestamp: created.milliseconds)
        #expect(decoding.job?.createdAt == created)
    }
}
